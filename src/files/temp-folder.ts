/** A folder for copies of patient data. It is removed with `remove`, and also when a signal or `process.exit` ends the process. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempFolder {
  readonly path: string
  remove(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function makeTempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'patient-risk-'))
  const remove = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop)
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  const stop = (signal: NodeJS.Signals): void => {
    remove()
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  process.on('exit', remove)
  return { path, remove }
}
