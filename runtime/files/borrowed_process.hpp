// A process of a moment that has this one's memory, and a table of descriptors of its own. The calling thread stands meanwhile.
#pragma once

namespace mana::store {

/// Not a thread with a table of its own: when that table is closed with the thread, the kernel takes the process's being told of
/// messages (mq_notify) for ended, as it does at each descriptor of the queue that the process itself closes.
/// in:     work  must return; it runs with the calling thread's variables, and stands for it in locks
/// out:    false: there is no such process to be had, and nothing was done
/// errors: where a signal ends it, that signal ends the calling process too
bool in_borrowed_process(void (*work)(void*) noexcept, void* argument) noexcept;

}  // namespace mana::store
