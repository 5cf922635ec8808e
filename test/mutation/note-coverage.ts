/**
 * Loaded before a test file, and in every process and thread that it starts: writes which mutants ran into the folder that the
 * environment names. Threads that are ended from outside get no event, so it writes now and then too.
 */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Stryker {
  mutantCoverage?: { readonly static: Readonly<Record<string, number>>; readonly perTest: object }
}

const EVERY_MS = 100
const folder = process.env['MUTANT_COVERAGE']
if (folder !== undefined) {
  const shared = ((globalThis as { __stryker__?: Stryker }).__stryker__ ??= {})
  const path = join(folder, randomUUID())
  let written = 0
  const write = (): void => {
    const ids = Object.keys(shared.mutantCoverage?.static ?? {})
    if (ids.length === written) return
    written = ids.length
    writeFileSync(path, ids.join('\n'))
  }
  setInterval(write, EVERY_MS).unref()
  process.on('exit', write)
}
