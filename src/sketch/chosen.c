/* chosen.c - ink_tuning_chosen: what the library has chosen for this machine. */
#include "base/status.h"
#include "base/tuning.h"
#include "kernels/dispatch.h"

ink_status ink_tuning_chosen(ink_tuning *tuning, ink_error *error)
{
    const ink__kernels *kernels = NULL;
    const ink__tuning   now = ink__tuning_now();
    bool                never_far = now.far_from_bytes == UINT64_MAX;

    INK__TRY(ink__kernels_choose(&kernels, error));
    *tuning = (ink_tuning){
        .instructions = kernels->name,
        .l1_bytes = now.l1_bytes,
        .l2_bytes = now.l2_bytes,
        .caches_known = now.caches_known,
        .prefetch_from_bytes = now.prefetch_from_bytes,
        .prefetch_keys = now.window,
        .far_from_bytes = never_far ? 0 : now.far_from_bytes,
        .far_keys = never_far ? 0 : now.far_window,
        .huge_from_bytes = now.huge_from_bytes,
        .sort_from_bytes = now.radix_from_bytes,
        .private_to_bytes = now.private_to_bytes,
    };
    return INK_OK;
}
