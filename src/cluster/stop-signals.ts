/** SIGTERM and SIGINT as a promise. */
import cluster from 'node:cluster'

/**
 * Resolves at the first SIGTERM or SIGINT. A second signal ends a single process at once. It does not end a worker: a supervisor
 * such as systemd signals all processes, and the primary then signals the workers again.
 */
export function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      if (cluster.isWorker) process.on(signal, () => resolve())
      else process.once(signal, () => resolve())
    }
  })
}
