/** The manifest of a folder of outputs: what each of them was made from, and when it has to be made again. */
import { readFile, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { isObject, jsonIn } from 'patient-risk-engine/read'
import type { FeedDoubt } from '@patient-risk/monitor'
import { BadFile } from '../../tables/bad-file.ts'
import { writeWhole } from '../output/sink.ts'
import type { FileState } from './file-state.ts'

export const MANIFEST = 'risk-manifest.json'
const VERSION = 1

/** What an answer comes from, and the day by which dates were judged, as YYYY-MM-DD. */
export interface AnsweredBy {
  readonly model: string
  readonly deploymentDigest: string
  readonly today: string
}

export interface Manifest extends AnsweredBy {
  /** False while a run is at work, and after one that did not end. */
  readonly complete: boolean
  /** By the names of the inputs, below the folder that they share. */
  readonly files: ReadonlyMap<string, ManifestFile>
}

/** An output: size, time and hash are those of its file. */
export interface ManifestFile extends AnsweredBy, FileState {
  readonly input: FileState
  /** Its name in the folder of the outputs. */
  readonly output: string
  /** The records of the input, those with a risk, and the problems of all. */
  readonly rows: number
  readonly scored: number
  readonly problems: number
  /** A digest of everything else that decides what is written. */
  readonly options: string
  /** Whether the input has dates, and whether one of them was refused because it lay in the future. */
  readonly dates: 'none' | 'some' | 'future'
  /** Whether the input does not exist any more. */
  readonly gone: boolean
  readonly keyed?: KeyedRows
  /** What its input leaves in doubt, as fields and kinds; absent where nothing is. */
  readonly doubts?: readonly FileDoubt[]
}

export type FileDoubt = Pick<FeedDoubt, 'field' | 'doubt'>

/** Of an output that has the changed rows alone. */
export interface KeyedRows {
  readonly key: string
  readonly changed: number
  readonly deleted: number
  /** Whether it has all rows, also those that are as before. */
  readonly isWhole: boolean
  /** The hash of the output that this one continues; absent where it continues none. */
  readonly since?: string
  /** The file that keeps what the rows are, and the one with what they were before. */
  readonly hashes: HashFile
  readonly hashesBefore?: HashFile
}

export interface HashFile {
  readonly path: string
  readonly sha256: string
}

/** Undefined where there is none, and 'damaged' where no such program has written it. Throws a BadFile for that of a newer version. */
export async function readManifest(folder: string): Promise<Manifest | 'damaged' | undefined> {
  const path = join(folder, MANIFEST)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const value = jsonIn(text)
  if (!hasTypes(value, { version: 'number', complete: 'boolean', ...ANSWERED_BY })) return 'damaged'
  const { version, files } = value
  if (Number(version) > VERSION)
    throw new BadFile(`${path}: is from a newer version; use that, or another folder`)
  if (!isObject(files) || !Object.values(files).every(isManifestFile)) return 'damaged'
  const { model, deploymentDigest, today, complete } = value as unknown as Manifest
  const entries = Object.entries(files as Readonly<Record<string, ManifestFile>>)
  return { model, deploymentDigest, today, complete, files: new Map(entries) }
}

export function writeManifest(folder: string, { files, ...head }: Manifest): Promise<void> {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify({ version: VERSION, ...head, files: Object.fromEntries(sorted) }, undefined, 1)
  return writeWhole(join(folder, MANIFEST), (temp) => writeFile(temp, `${text}\n`))
}

type Members = Readonly<Record<string, unknown>>

function hasTypes(value: unknown, types: Readonly<Record<string, string>>): value is Members {
  return isObject(value) && Object.entries(types).every(([name, type]) => typeof value[name] === type)
}

const ANSWERED_BY = { model: 'string', deploymentDigest: 'string', today: 'string' } as const

const STATE = { size: 'number', time: 'string', sha256: 'string' } as const
const FILE = {
  ...ANSWERED_BY,
  ...STATE,
  output: 'string',
  rows: 'number',
  scored: 'number',
  problems: 'number',
  options: 'string',
  dates: 'string',
  gone: 'boolean',
} as const

function isManifestFile(value: unknown): value is ManifestFile {
  if (!hasTypes(value, FILE) || !hasTypes(value['input'], STATE) || !isInside(value['output'])) return false
  const { keyed, doubts = [] } = value
  if (!Array.isArray(doubts) || !doubts.every((each) => hasTypes(each, DOUBT))) return false
  return keyed === undefined || isKeyedRows(keyed)
}

const DOUBT = { field: 'string', doubt: 'string' } as const

const KEYED = { key: 'string', changed: 'number', deleted: 'number', isWhole: 'boolean' } as const
const HASH_FILE = { path: 'string', sha256: 'string' } as const

function isKeyedRows(value: unknown): boolean {
  if (!hasTypes(value, KEYED)) return false
  const { hashes, hashesBefore } = value
  return [hashes, hashesBefore ?? hashes].every((each) => hasTypes(each, HASH_FILE) && isInside(each['path']))
}

/** Outputs are removed by their names, so a name must not lead out of the folder. */
function isInside(name: unknown): boolean {
  if (typeof name !== 'string' || name === '' || name.includes('\\')) return false
  return !posix.isAbsolute(name) && posix.normalize(name) === name && !name.startsWith('..')
}
