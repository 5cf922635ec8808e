/** Where `score` may write: never over what it reads, never two things in one place, never over what is no file. */
import { type Stats, fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { asideNames } from '../../bulk/sink.ts'
import { STANDARD_INPUT } from '../../tables/open-input.ts'
import { UsageError } from '../command.ts'

const STANDARD_OUTPUT = '-'
/** As many links as Linux itself follows. */
const MOST_LINKS = 40
const INSTEAD = {
  '--output': 'Leave --output out, and redirect the standard output to it.',
  '--errors': 'Name a file.',
} as const

export interface Places {
  /** Undefined for the standard output. */
  readonly output: string | undefined
  readonly errors: string | undefined
}

/** The files to write, behind all links. Throws before anything is written. */
export function placesFor(input: string, output: string | undefined, errors: string | undefined): Places {
  const places = {
    output: output === undefined || output === STANDARD_OUTPUT ? undefined : target('--output', output),
    errors: errors === undefined ? undefined : target('--errors', errors),
  }
  const taken = new Map<string, string>()
  const source = keyOfInput(input)
  if (source !== undefined) taken.set(source, 'the input')
  for (const [word, path] of [
    ['--output', places.output],
    ['--errors', places.errors],
  ] as const) {
    if (path === undefined) continue
    const keys = [path, ...asideNames(path)].map(keyOf)
    const other = keys.map((key) => taken.get(key)).find((name) => name !== undefined)
    if (other !== undefined)
      throw new UsageError(`${word} would write over ${other}; name a file of its own.`)
    for (const key of keys) taken.set(key, `what ${word} names`)
  }
  return places
}

/** A link stays a link: what it points to is written. */
function target(word: keyof typeof INSTEAD, path: string): string {
  if (path === '') throw new UsageError(`${word} needs the name of a file.`)
  const found = statOf(path)
  if (found !== undefined && !found.isFile())
    throw new UsageError(`${word} ${path} is there already, and no regular file. ${INSTEAD[word]}`)
  let at = path
  for (let links = 0; lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true; links++) {
    if (links === MOST_LINKS) throw new UsageError(`${word} ${path} is a link that leads nowhere.`)
    at = resolve(dirname(at), readlinkSync(at))
  }
  return at
}

function keyOfInput(input: string): string | undefined {
  if (input !== STANDARD_INPUT) return keyOf(input)
  const found = fstatSync(0)
  return found.isFile() ? keyOfStats(found) : undefined
}

/** The same for every spelling, link and hard link of a file; of one that is not there yet, its place in its folder. */
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

/** Undefined for a file that is not there, and for a link to none; what cannot be looked at is told when it is opened. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
