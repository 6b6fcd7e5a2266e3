// SPDX-License-Identifier: GPL-2.0-or-later
// wall: what threads do all the time, on a processor and off it: where they run, and where they wait. It has no script, as only
// the built-in engine records it.
//
// flametap: event wall
// flametap: title Wall time
// flametap: unit ns
// flametap: clock monotonic
// flametap: none the target has no threads
// flametap: keys state preemptor ran
// flametap: probe timer
// flametap: probe sched:sched_switch begins ends
// flametap: probe sched:sched_wakeup
// flametap: probe sched:sched_wakeup_new
// flametap: takes rate vm label
// flametap: program wall
