/** Lets the threads of long work give way to the one that answers a person: the system runs those first that are less nice. */
import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const NICE = 5
/** Where Linux says which thread is asking. */
const OWN_THREAD = '/proc/thread-self'

/** For the thread that calls it alone. Elsewhere than on Linux nothing is changed. */
export function giveWay(): void {
  try {
    const thread = Number(readlinkSync(OWN_THREAD).split('/').at(-1))
    if (!Number.isSafeInteger(thread) || thread <= 0) return
    // Above the process's own: one that was started as less urgent must not become more so.
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + NICE))
  } catch {
    // Without it the threads are as equal as before.
  }
}
