/** What a file is: its size, its time and the hash of its content. A file whose times are as before is not read again. */
import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { BadFile } from '../../tables/bad-file.ts'
import { READ_BYTES } from '../../tables/open-input.ts'

export interface FileState {
  readonly size: number
  /** When the content was last changed, as ISO 8601. */
  readonly time: string
  /**
   * Both times of the file in nanoseconds. A program can set back the first one and not the second. Absent where the file had been
   * written so recently that a later write could have the same times.
   */
  readonly stamp?: string
  /** SHA-256 of the content in hexadecimal digits. */
  readonly sha256: string
}

const NANOSECONDS_IN_MS = 1_000_000n
/** The clocks of file systems advance in steps: of 10 ms at most where they count less than a millisecond, and else of 2 s. */
const FINE_STEP_NS = 100n * NANOSECONDS_IN_MS
const COARSE_STEP_NS = 2_000n * NANOSECONDS_IN_MS

/** Undefined for a file that does not exist. `known` is what the file was; where its size and its times are that, it is not read. */
export async function stateOf(path: string, known?: FileState): Promise<FileState | undefined> {
  const before = await statOf(path)
  if (before === undefined) return undefined
  const size = Number(before.size)
  const stamp = stampOf(before)
  if (known?.size === size && known.stamp === stamp) return known
  const readAt = Date.now()
  const sha256 = await hashOf(path)
  const after = await statOf(path)
  if (after?.size !== before.size || stampOf(after) !== stamp)
    throw new BadFile(`${path}: has changed while it was read; start again when it is whole`)
  const isSettled = BigInt(readAt) * NANOSECONDS_IN_MS - before.ctimeNs > stepOf(before)
  const time = new Date(Number(before.mtimeNs / NANOSECONDS_IN_MS)).toISOString()
  return { size, time, ...(isSettled ? { stamp } : {}), sha256 }
}

/** Whether a file is still what was read; a state without a stamp is compared by content. */
export async function isStill(path: string, state: FileState): Promise<boolean> {
  return (await stateOf(path, state))?.sha256 === state.sha256
}

function stampOf({ mtimeNs, ctimeNs }: BigIntStats): string {
  return `${mtimeNs} ${ctimeNs}`
}

function stepOf({ ctimeNs }: BigIntStats): bigint {
  return ctimeNs % NANOSECONDS_IN_MS === 0n ? COARSE_STEP_NS : FINE_STEP_NS
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })
}

async function hashOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const part of createReadStream(path, { highWaterMark: READ_BYTES }))
    digest.update(part as Buffer)
  return digest.digest('hex')
}
