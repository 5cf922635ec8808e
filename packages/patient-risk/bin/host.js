// What the command asks of the process that it runs in. Plain JavaScript for every Node since 18, which may run it to be told.

/** The first Node whose node:sqlite waits for locks of other processes (`timeout`) and knows whether a transaction is open. */
export const COMPILED_NEEDS = '22.16'
/** The Node that the repository is tested with, which runs TypeScript as it is. */
export const SOURCE_NEEDS = '24'

/** Whether this Node is older than a version such as 22.16. */
export function isOlderThan(needed, present = process.versions.node) {
  const [major = 0, minor = 0] = present.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
  return major < neededMajor || (major === neededMajor && minor < neededMinor)
}

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
