// SPDX-License-Identifier: GPL-2.0-or-later
// rust [SECONDS]: three calls.
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

#[inline(never)]
fn spin(seconds: u64) -> u32 {
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut x: u32 = 1;

    println!("spinning");
    std::io::stdout().flush().unwrap();
    while Instant::now() < end {
        for _ in 0..2_000_000 {
            x = black_box(x.wrapping_mul(1664525).wrapping_add(1013904223));
        }
    }
    x
}

#[inline(never)]
fn second(list: &[u64]) -> u32 {
    black_box(spin(list[0])) + 1
}

#[inline(never)]
fn first(seconds: u64) -> u32 {
    let list = vec![seconds; 10];

    black_box(second(black_box(&list))) + 1
}

fn main() {
    let seconds = std::env::args().nth(1).map_or(60, |text| text.parse().unwrap());

    black_box(first(seconds));
}
