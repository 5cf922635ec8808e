/**
 * A copy of the checkout in which the sources of one package have all their mutants. Stryker's instrumenter writes them; each does
 * nothing until the environment names it, so that processes and threads that a test starts have it too.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { type InstrumenterOptions, Instrumenter } from '@stryker-mutator/instrumenter'
import { linkPackages } from '../support/checkout-copy.ts'
import { type MutatedPackage, leftOutOf } from './packages.ts'

/** Built or installed, and not in git. */
const LINKED = ['packages/workbench/built', 'clients/typescript/node_modules']

export interface Mutant {
  readonly id: string
  /** Of the checkout, with the line: `packages/runtime/src/clock.ts:12`. */
  readonly place: string
  readonly kind: string
  readonly original: string
  readonly replacement: string
}

export interface MutatedCopy {
  readonly mutants: readonly Mutant[]
  /** The same for the same sources and tests, so that a run can be continued. */
  readonly digest: string
}

const OPTIONS: InstrumenterOptions = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false }

const nothing = (): undefined => undefined
const SILENT = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}

export async function makeMutatedCopy(folder: string, own: MutatedPackage): Promise<MutatedCopy> {
  const digest = createHash('sha256')
  for (const path of trackedFiles()) {
    if (!existsSync(path)) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(path, join(folder, path))
    if (/^(packages|test|clients)\/.*\.ts$/.test(path)) digest.update(path).update(readFileSync(path))
  }
  linkPackages(folder)
  for (const path of [...LINKED, ...globSync('packages/*/node_modules')]) {
    if (existsSync(path) && !existsSync(join(folder, path))) symlinkSync(resolve(path), join(folder, path))
  }
  const sources = globSync([...own.sources], { exclude: [...leftOutOf(own)] }).sort()
  const texts = new Map(sources.map((name) => [name, readFileSync(name, 'utf8')]))
  const given = [...texts].map(([name, content]) => ({ name, content, mutate: true }))
  const { files, mutants } = await new Instrumenter(SILENT).instrument(given, OPTIONS)
  for (const { name, content } of files) writeFileSync(join(folder, name), content)
  return {
    digest: digest.digest('hex'),
    mutants: mutants.map(({ id, fileName, mutatorName, replacement, location: { start, end } }) => ({
      id,
      // The instrumenter counts lines from 0.
      place: `${fileName}:${start.line + 1}`,
      kind: mutatorName,
      original: textBetween(texts.get(fileName) ?? '', start, end),
      replacement,
    })),
  }
}

/** Also files that are not committed yet. */
function trackedFiles(): readonly string[] {
  const options = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const listed = execFileSync('git', options, { encoding: 'utf8', maxBuffer: 1 << 26 })
  return listed.split('\0').filter((path) => path !== '')
}

interface Place {
  readonly line: number
  readonly column: number
}

function textBetween(text: string, start: Place, end: Place): string {
  const lines = text.split('\n').slice(start.line, end.line + 1)
  lines.push((lines.pop() ?? '').slice(0, end.column))
  return [(lines.shift() ?? '').slice(start.column), ...lines].join('\n')
}
