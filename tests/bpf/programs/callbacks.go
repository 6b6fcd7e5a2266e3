// SPDX-License-Identifier: GPL-2.0-or-later
// callbacks [SECONDS]: Go calls C, which calls Go back, over and over; the innermost Go function
// makes garbage.
package main

/*
extern void called_back(int depth);

static volatile unsigned int turns;

static __attribute__((noinline)) void calls_back(int depth)
{
	for (int i = 0; i < 1000; i++)
		turns++;
	called_back(depth);
	turns++;
}
*/
import "C"

import (
	"os"
	"strconv"
	"time"
)

var sink [][]byte

//go:noinline
func garbage() {
	for i := 0; i < 100; i++ {
		sink = append(sink[:0], make([]byte, 40000))
	}
}

//export called_back
func called_back(depth C.int) {
	if depth > 0 {
		C.calls_back(depth - 1)
	} else {
		garbage()
	}
}

func main() {
	seconds := 60
	if len(os.Args) > 1 {
		seconds, _ = strconv.Atoi(os.Args[1])
	}
	for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); {
		C.calls_back(3)
	}
}
