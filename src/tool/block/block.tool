// SPDX-License-Identifier: GPL-2.0-or-later
// block: user and kernel stacks at which threads issue requests to disks, the time that the requests are queued and in the device, and their
// bytes. It has no script, as only the built-in engine records it.
//
// flametap: event block
// flametap: title Time of disk requests
// flametap: unit ns
// flametap: clock monotonic
// flametap: none the target made no requests to disks; the kernel writes most files later, see sample-bt-block(1)
// flametap: keys op phase disk sync meta ahead error
// flametap: probe block:block_rq_issue
// flametap: probe block:block_rq_complete
// flametap: leaf op phase
// flametap: counts requests phase=device
// flametap: counts errors error
// flametap: takes vm label
// flametap: option op LIST read=1,write=2,flush=4,discard=8,zero=16,other=32,all=63 default all: Only requests that read, write, flush, discard, zero or do other things
// flametap: option min US 1..1000000000000: Omit shorter requests
// flametap: option max US min..1000000000000: Omit longer requests
// flametap: program block
