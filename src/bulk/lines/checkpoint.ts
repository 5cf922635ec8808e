/** How far a run has come, beside its unfinished output: enough to go on after a power cut as if nothing had been. */
import { open, readFile, rename, rm } from 'node:fs/promises'
import { jsonIn } from '../../engine/read/body.ts'
import type { SeenState } from '../../engine/read/seen-idx.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { writing } from '../cannot-write.ts'
import type { SummaryState } from '../summary.ts'

export interface Checkpoint {
  /** The input, and everything that decides what is written: a run goes on only where all of it is the same. */
  readonly identity: string
  readonly today: number
  /** Records of the input that are done. */
  readonly records: number
  readonly outputBytes: number
  readonly errorsBytes: number
  readonly summary: SummaryState
  /** Every idx that was found more than once, and whether this is the second pass over the file because of them. */
  readonly repeated: readonly number[]
  readonly isSecondPass: boolean
}

const MAGIC = 'patient-risk checkpoint 2\n'
/** The first version counted pieces of the input, which tells no place in it. */
const OLD_MAGIC = 'patient-risk checkpoint 1\n'
const NO_CHECKPOINT = 'the checkpoint beside the output is not one, or not whole; start without --resume'
/** A page of idx: its number, and a bit for each of 64. */
const PAGE_BYTES = 16

function nameOf(output: string): string {
  return `${output}.checkpoint`
}

export function writeCheckpoint(output: string, state: Checkpoint, seen: SeenState): Promise<void> {
  return writing(nameOf(output), () => write(output, state, seen))
}

async function write(output: string, state: Checkpoint, seen: SeenState): Promise<void> {
  const text = Buffer.from(`${MAGIC}${JSON.stringify(state)}\n`)
  const aside = `${nameOf(output)}.new`
  const file = await open(aside, 'w', 0o600)
  try {
    // Each goes on behind the last, and writes until all is written.
    for (const bytes of [text, bytesOf(seen.pages), bytesOf(seen.bits)]) await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, nameOf(output))
}

export async function readCheckpoint(
  output: string,
): Promise<{ readonly state: Checkpoint; readonly seen: SeenState } | undefined> {
  let bytes: Buffer
  try {
    bytes = await readFile(nameOf(output))
  } catch {
    return undefined
  }
  if (startsWith(bytes, OLD_MAGIC)) {
    throw new BadFile('the unfinished run is one of an older version; start without --resume')
  }
  const end = bytes.indexOf('\n', MAGIC.length)
  // A copy, because numbers of eight bytes must begin at a multiple of eight.
  const rest = new Uint8Array(bytes.subarray(end + 1))
  if (!startsWith(bytes, MAGIC) || end < 0 || rest.length % PAGE_BYTES !== 0) {
    throw new BadFile(NO_CHECKPOINT)
  }
  const state = stateOf(bytes.toString('utf8', MAGIC.length, end))
  const pages = rest.length / PAGE_BYTES
  return {
    state,
    seen: { pages: new Float64Array(rest.buffer, 0, pages), bits: new Uint32Array(rest.buffer, 8 * pages) },
  }
}

function stateOf(text: string): Checkpoint {
  const value = jsonIn(text) as Checkpoint | null | undefined
  if (typeof value?.identity === 'string') return value
  throw new BadFile(NO_CHECKPOINT)
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text
}

export async function removeCheckpoint(output: string): Promise<void> {
  await rm(nameOf(output), { force: true })
}

function bytesOf(numbers: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}
