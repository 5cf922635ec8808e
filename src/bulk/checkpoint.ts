/** How far a run has come, beside its unfinished output: enough to go on after a power cut as if nothing had been. */
import { open, readFile, rename, rm } from 'node:fs/promises'
import type { SeenState } from '../engine/seen-idx.ts'
import { BadFile } from '../tables/bad-file.ts'
import type { SummaryState } from './summary.ts'

export interface Checkpoint {
  /** The input, and everything that decides what is written: a run goes on only where all of it is the same. */
  readonly identity: string
  readonly today: number
  /** Pieces of the input that are done. */
  readonly chunks: number
  readonly outputBytes: number
  readonly errorsBytes: number
  readonly summary: SummaryState
  /** Every idx that was found more than once, and whether this is the second look at the file because of them. */
  readonly repeated: readonly number[]
  readonly isSecondLook: boolean
}

const MAGIC = 'patient-risk checkpoint 1\n'

function nameOf(output: string): string {
  return `${output}.checkpoint`
}

export async function writeCheckpoint(output: string, state: Checkpoint, seen: SeenState): Promise<void> {
  const text = Buffer.from(`${MAGIC}${JSON.stringify(state)}\n`)
  const aside = `${nameOf(output)}.new`
  const file = await open(aside, 'w', 0o600)
  try {
    await file.write(text)
    await file.write(bytesOf(seen.pages))
    await file.write(bytesOf(seen.bits))
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
  const end = bytes.indexOf('\n', MAGIC.length)
  if (!bytes.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC)) || end < 0) {
    throw new BadFile('the checkpoint beside the output is not one; remove it and start again')
  }
  const state = JSON.parse(bytes.toString('utf8', MAGIC.length, end)) as Checkpoint
  // A copy, because numbers of eight bytes must begin at a multiple of eight.
  const rest = new Uint8Array(bytes.subarray(end + 1))
  const pages = rest.length / 16
  return {
    state,
    seen: { pages: new Float64Array(rest.buffer, 0, pages), bits: new Uint32Array(rest.buffer, 8 * pages) },
  }
}

export async function removeCheckpoint(output: string): Promise<void> {
  await rm(nameOf(output), { force: true })
}

function bytesOf(numbers: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}
