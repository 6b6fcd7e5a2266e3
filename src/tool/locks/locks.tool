// SPDX-License-Identifier: GPL-2.0-or-later
// locks: user stacks at which threads wait for locks of their process, kernel stacks at which they
// wait for locks of the kernel, and the time until they go on. It has no script, as only the
// built-in engine records it.
//
// flametap: event locks
// flametap: title Time waiting for locks
// flametap: unit ns
// flametap: clock monotonic
// flametap: none the target did not wait for locks
// flametap: keys lock kind held-by released-by error ran
// flametap: probe raw_syscalls:sys_enter
// flametap: probe raw_syscalls:sys_exit
// flametap: probe sched:sched_waking
// flametap: counts waits
// flametap: takes vm label distr
// flametap: option min US 1..1000000000000: Omit shorter waits
// flametap: option max US min..1000000000000: Omit longer waits
// flametap: option releaser LIST name=1,stack=2 default name: Show the thread that has released the lock by its name, or also by its stack
// flametap: program locks
