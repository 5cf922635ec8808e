/** Where `score` may write: never over an input, never two things in one place, never over what is not a regular file. */
import { type Stats, fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { asideNames } from '../../bulk/output/sink.ts'
import type { RunInput } from '../../bulk/run.ts'
import { STANDARD_INPUT } from '../../tables/open-input.ts'
import { UsageError } from '../command.ts'

const STANDARD_OUTPUT = '-'
/** As many links as Linux itself follows. */
const MOST_LINKS = 40
const INSTEAD = {
  '--output': 'Leave --output out, and redirect the standard output to it.',
  '--errors': 'Name a file.',
} as const

/** The files to write, with links resolved; undefined for the standard output. Throws before anything is written. */
export function outputPaths(
  inputs: readonly RunInput[],
  output: string | undefined,
  errors: string | undefined,
): { readonly output: string | undefined; readonly errors: string | undefined } {
  const paths = {
    output: output === undefined || output === STANDARD_OUTPUT ? undefined : target('--output', output),
    errors: errors === undefined ? undefined : target('--errors', errors),
  }
  const taken = new Map(inputs.map(({ path }) => [keyOfInput(path), 'the input']))
  for (const name of ['output', 'errors'] as const) {
    const path = paths[name]
    if (path === undefined) continue
    const keys = [path, ...asideNames(path)].map(keyOf)
    const other = keys.map((key) => taken.get(key)).find((found) => found !== undefined)
    if (other !== undefined) throw new UsageError(`--${name} would write over ${other}; name another file.`)
    for (const key of keys) taken.set(key, `the file of --${name}`)
  }
  return paths
}

/** A link stays a link: the file that it points to is written. */
function target(option: keyof typeof INSTEAD, path: string): string {
  if (path === '') throw new UsageError(`${option} needs the name of a file.`)
  const found = statOf(path)
  if (found !== undefined && !found.isFile())
    throw new UsageError(`${option} ${path} exists and is not a regular file. ${INSTEAD[option]}`)
  let at = path
  for (let links = 0; lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true; links++) {
    if (links === MOST_LINKS) throw new UsageError(`${option} ${path} is a link without an end.`)
    at = resolve(dirname(at), readlinkSync(at))
  }
  return at
}

function keyOfInput(input: string): string {
  if (input !== STANDARD_INPUT) return keyOf(input)
  const found = fstatSync(0)
  return found.isFile() ? keyOfStats(found) : STANDARD_INPUT
}

/** The same for every spelling, link and hard link of a file; for a file that does not exist yet, its place in its folder. */
function keyOf(path: string): string {
  const found = statOf(path)
  if (found !== undefined) return keyOfStats(found)
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return resolve(path)
  }
}

function keyOfStats({ dev, ino }: Stats): string {
  return `${dev} ${ino}`
}

/** Undefined for a file that does not exist or cannot be examined; opening it gives the reason. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
