// SPDX-License-Identifier: GPL-2.0-or-later
// goroutines [SECONDS]: spins in the main goroutine and in another one.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

var sink uint32

//go:noinline
func spin(end time.Time) {
	x := uint32(1)
	for time.Now().Before(end) {
		for i := 0; i < 2000000; i++ {
			x = x*1664525 + 1013904223
		}
	}
	sink += x
}

//go:noinline
func below(end time.Time, depth int) {
	var room [32]int
	room[depth%32] = depth
	if depth > 1 {
		below(end, depth-1)
	} else {
		spin(end)
	}
	sink += uint32(room[depth%32])
}

//go:noinline
func other(end time.Time, done chan bool) {
	below(end, 7)
	done <- true
}

func main() {
	seconds := 60
	if len(os.Args) > 1 {
		seconds, _ = strconv.Atoi(os.Args[1])
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	done := make(chan bool)
	fmt.Println("spinning")
	go other(end, done)
	below(end, 3)
	<-done
}
