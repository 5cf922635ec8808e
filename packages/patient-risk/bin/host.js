// What the command asks of the process that it runs in. Plain JavaScript for every Node since 18, which may run it to be told.

/**
 * The first version of each line of Node whose node:sqlite does what the store asks of it: it waits for locks of other processes,
 * tells whether a transaction is open, and binds `?1`, `?2` in their order. Later lines do so from their start.
 */
export const COMPILED_NEEDS = ['22.20', '24.7']
/** The repository is tested on the Node that it brings, which runs TypeScript as it is. */
export const SOURCE_NEEDS = ['24.7']

/** Whether this Node is at or after the first version of its line, or of a later line than all of these. */
export function isSupported(firsts, present = process.versions.node) {
  const [major = 0, minor = 0] = present.split('.').map(Number)
  return firsts.some((first, place) => {
    const [firstMajor = 0, firstMinor = 0] = first.split('.').map(Number)
    const isLast = place === firsts.length - 1
    return major === firstMajor ? minor >= firstMinor : isLast && major > firstMajor
  })
}

/** As in "22.20, 24.7 or newer". */
export const inWords = (firsts) => `${firsts.join(', ')} or newer`

/**
 * A shell between npm and this process does not pass SIGTERM on, so a service that npm started also stops when its parent is
 * gone.
 */
export function endWithParent() {
  const isStartedByNpm =
    process.env.npm_command !== undefined || process.env.PATIENT_RISK_PARENT !== undefined
  if (!isStartedByNpm) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  timer.unref()
}
