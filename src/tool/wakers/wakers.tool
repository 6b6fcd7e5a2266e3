// SPDX-License-Identifier: GPL-2.0-or-later
// wakers: user and kernel stacks at which threads wait, the stacks of the threads that wake them, and the time until they run
// again, as off-cpu.stp. It has no script, as only the built-in engine records it.
//
// flametap: event wakers
// flametap: title Off-CPU time by waker
// flametap: unit us
// flametap: clock monotonic
// flametap: none the target did not wait, or not in the selected states
// flametap: keys state preemptor ran
// flametap: probe sched:sched_switch begins ends
// flametap: probe sched:sched_waking
// flametap: counts waits
// flametap: takes vm label
// flametap: option state LIST S=1,D=2,T=12,R=16,W=32,I=192,blocked=15,runnable=48,all=255 default blocked: Only waits in these states, S,D,T,R,W,I or blocked, runnable, all
// flametap: option min US 1..1000000000000 default 1: Omit shorter waits
// flametap: option max US min..1000000000000: Omit longer waits
// flametap: option chain N 1..4 default 1: Show N wakers that have woken each other, the last one first
// flametap: program wakers
