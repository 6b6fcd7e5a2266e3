// SPDX-License-Identifier: GPL-2.0-or-later
// pools: user stacks at which nginx created the memory pools that it has not destroyed when the recording ends, and
// their bytes. It has no script, as only the built-in engine records pools.
//
// flametap: event pools
// flametap: title Pools not destroyed
// flametap: unit pools
// flametap: clock monotonic
// flametap: none all pools that the target created were destroyed
// flametap: keys age
// flametap: takes label
// flametap: labels nginx
// flametap: function ngx_destroy_pool on_pool_destroyed
// flametap: function ngx_create_pool on_pool_created result
// flametap: option min-age SECONDS 1..1000000: Only pools that are at least so old at the end
// flametap: program pools
