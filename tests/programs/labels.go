// SPDX-License-Identifier: GPL-2.0-or-later

// labels: works with labels of goroutines, each set while a function of its own works; in two goroutines, and without any. Orders also
// allocate, so that the collector of garbage works for them, on another stack.
package main

import (
	"context"
	"runtime/pprof"
	"strconv"
)

var sum uint64
var kept []byte

//go:noinline
func spin() {
	for i := 0; i < 1000000; i++ {
		sum += uint64(i)
	}
}

//go:noinline
func carts(context.Context) { spin(); sum++ }

//go:noinline
func orders(context.Context) {
	for i := 0; i < 100; i++ {
		kept = make([]byte, 10000)
	}
	spin()
	sum++
}

//go:noinline
func helps(context.Context) { spin(); sum++ }

//go:noinline
func rests() { spin(); sum++ }

// many has more labels than are read.
func many() pprof.LabelSet {
	list := []string{"handler", "/help"}
	for i := 0; i < 20; i++ {
		list = append(list, "z"+strconv.Itoa(i), "v")
	}
	return pprof.Labels(list...)
}

func main() {
	go func() {
		for {
			pprof.Do(context.Background(), many(), helps)
		}
	}()
	for {
		pprof.Do(context.Background(), pprof.Labels("handler", "/cart", "user", "mei"), carts)
		pprof.Do(context.Background(), pprof.Labels("handler", "/orders", "http.route", "/o/{id}"), orders)
		rests()
	}
}
