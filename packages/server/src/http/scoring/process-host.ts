/** What the monitoring needs of this process. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Host } from '@patient-risk/monitor'

export const PROCESS_HOST: Host = {
  steadyNow: () => performance.now(),
  random: Math.random,
  // Three times as fast as a TextDecoder.
  latin1: ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length).toString('latin1'),
  later(work, waitMs) {
    setTimeout(work, waitMs).unref()
  },
  nextTurn: () => nextTurn(),
}
