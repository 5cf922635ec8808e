/** The wish that this process end, as a terminal and a supervisor of services say it. */
import cluster from 'node:cluster'

/**
 * Resolves at the first SIGTERM or SIGINT. A second one ends a process at once, for an impatient operator; but not one of
 * several: a supervisor such as systemd asks them all, and the first process asks the others again.
 */
export function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      if (cluster.isWorker) process.on(signal, () => resolve())
      else process.once(signal, () => resolve())
    }
  })
}
