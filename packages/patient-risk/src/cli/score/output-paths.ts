/** Where a run writes, and in which format; checked before anything is written. */
import { type Stats, fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { tempNames, type RunInput } from '@patient-risk/data/bulk'
import {
  type ErrorsFormat,
  STANDARD_INPUT,
  WRITTEN_FORMATS,
  type WrittenFormat,
  formatOf,
} from '@patient-risk/data/tables'
import { UsageError } from '../command.ts'
import { named, oneOf } from './score-options.ts'

const STANDARD_OUTPUT = '-'
/** As many links as Linux itself follows. */
const MOST_LINKS = 40
const INSTEAD = {
  '--output': 'Leave --output out, and redirect the standard output to it.',
  '--errors': 'Name a file.',
} as const

export function outputFormat(given: string | undefined, path: string | undefined): WrittenFormat {
  const { format, written, compression } = formatOf(path ?? '')
  if (given === undefined && format === 'xlsx')
    throw new UsageError('XLSX is read, not written; name the output .csv or .parquet.')
  if (compression !== undefined && (given ?? written) === 'parquet')
    throw new UsageError('Parquet is compressed inside; name the output without .gz and .zst.')
  if (given !== undefined) return oneOf(WRITTEN_FORMATS, given, '--to')
  return path === undefined || path === STANDARD_OUTPUT ? 'ndjson' : named(written, path, '--to')
}

export function errorsFormat(path: string | undefined): ErrorsFormat | undefined {
  if (path === undefined) return undefined
  const { written, compression } = formatOf(path)
  if (compression !== undefined || written === undefined || written === 'json' || written === 'parquet')
    throw new UsageError('--errors takes a name that ends in .ndjson, .csv or .tsv.')
  return written
}

/**
 * The files to write, with links resolved; undefined for the standard output. Throws before anything is written: never over an
 * input, never two outputs in one file, never over anything but a regular file.
 */
export function outputPaths(
  inputKeys: ReadonlySet<string>,
  output: string | undefined,
  errors: string | undefined,
): { readonly output: string | undefined; readonly errors: string | undefined } {
  const paths = {
    output: output === undefined || output === STANDARD_OUTPUT ? undefined : target('--output', output),
    errors: errors === undefined ? undefined : target('--errors', errors),
  }
  const written = new Map<string, string>()
  for (const name of ['output', 'errors'] as const) {
    const path = paths[name]
    if (path === undefined) continue
    const keys = [path, ...tempNames(path)].map(keyOf)
    const others = keys.map((key) => (inputKeys.has(key) ? 'the input' : written.get(key)))
    const other = others.find((found) => found !== undefined)
    if (other !== undefined) throw new UsageError(`--${name} would write over ${other}; name another file.`)
    for (const key of keys) written.set(key, `the file of --${name}`)
  }
  return paths
}

/** What identifies the files of inputs. */
export function takenBy(inputs: readonly RunInput[]): ReadonlySet<string> {
  return new Set(inputs.map(({ path }) => keyOf(path)))
}

/** A link stays a link: the file that it points to is written. */
function target(option: keyof typeof INSTEAD, path: string): string {
  if (path === '') throw new UsageError(`${option} needs the name of a file.`)
  const found = statOf(path)
  if (found !== undefined && !found.isFile())
    throw new UsageError(`${option} ${path} exists and is not a regular file. ${INSTEAD[option]}`)
  let at = path
  for (let links = 0; statOf(at, lstatSync)?.isSymbolicLink() === true; links++) {
    if (links === MOST_LINKS) throw new UsageError(`${option} ${path} is a link without an end.`)
    at = resolve(dirname(at), readlinkSync(at))
  }
  return at
}

/** Identifies a file under any spelling, link and hard link; a file that does not exist yet, by its folder and name. */
function keyOf(path: string): string {
  const found = path === STANDARD_INPUT ? fstatSync(0) : statOf(path)
  if (path === STANDARD_INPUT && found?.isFile() !== true) return STANDARD_INPUT
  if (found !== undefined) return `${found.dev} ${found.ino}`
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return resolve(path)
  }
}

/** Undefined for a file that does not exist or cannot be examined; opening it gives the reason. */
function statOf(path: string, lookUp = statSync): Stats | undefined {
  try {
    return lookUp(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
