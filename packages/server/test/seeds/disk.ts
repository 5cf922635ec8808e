/**
 * The disk of the simulated machine: real files in a folder in memory, and what a crash leaves of them.
 *
 * SQLite in WAL mode appends pages to the log and, with `synchronous=FULL`, makes them durable at each commit. A checkpoint makes the log
 * durable, copies pages to the file and makes that durable; then the next commit begins the log anew. A crash in the middle leaves a part
 * of what was written since the last such moment: a killed process leaves a beginning of it, a power cut any sectors of it.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { World } from './world.ts'

export const STORE = 'patient-risk.sqlite'
export const LOG = `${STORE}-wal`
export const ANCHORS = 'anchor-sqlite.ndjson'
const SECTOR = 512
/** The bytes of the header of the log, and where it has the numbers that change when the log begins anew. */
const HEADER = 32
const SALT = [16, 24] as const
/** A kernel writes files out after about this time, asked or not. */
const WRITTEN_OUT_MS = 30_000

export type Image = Readonly<Partial<Record<string, Buffer>>>
export type CrashKind = 'kill' | 'power cut'

/** In memory where there is such a folder: a real disk would make every commit slow. */
export function makeScratch(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'patient-risk-seeds-'))
}

export function imageOf(folder: string): Image {
  const image: Record<string, Buffer> = {}
  for (const name of [STORE, LOG, ANCHORS]) {
    try {
      image[name] = readFileSync(join(folder, name))
    } catch {
      // It does not exist.
    }
  }
  return image
}

export function writeImage(folder: string, image: Image): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [name, bytes] of Object.entries(image)) {
    if (bytes !== undefined) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  }
}

/** What a crash between two states of the files leaves. The first of them is durable. */
export function cut(before: Image, after: Image, kind: CrashKind, world: World): Image {
  const partly = (name: string): Buffer =>
    kind === 'kill' ? beginning(before[name], after[name], world) : sectors(before[name], after[name], world)
  const isStoreChanged = !same(before[STORE], after[STORE])
  const rest = { [ANCHORS]: after[ANCHORS] }
  // The last process closed the file: a checkpoint, and then the log is removed.
  if (after[LOG] === undefined)
    return world.chance(0.5) ? after : { ...rest, [STORE]: partly(STORE), [LOG]: before[LOG] }
  if (!isStoreChanged) return { ...rest, [STORE]: after[STORE], [LOG]: partly(LOG) }
  // The log begins anew only after a checkpoint is durable.
  const isNewLog = !same(before[LOG]?.subarray(...SALT), after[LOG].subarray(...SALT))
  if (isNewLog) {
    // SQLite makes the new header durable before it writes a frame. With the old one, a beginning of the old log would be valid again.
    const log = partly(LOG)
    after[LOG].copy(log, 0, 0, HEADER)
    return { ...rest, [STORE]: after[STORE], [LOG]: log }
  }
  return world.chance(0.5)
    ? { ...rest, [STORE]: before[STORE], [LOG]: partly(LOG) }
    : { ...rest, [STORE]: partly(STORE), [LOG]: after[LOG] }
}

const same = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.equals(other)

/** The writes up to some byte. */
function beginning(before: Buffer = Buffer.alloc(0), after: Buffer = Buffer.alloc(0), world: World): Buffer {
  const changed = changedSectors(before, after)
  if (changed.length === 0) return after
  const last = world.pick(changed) * SECTOR + world.between(0, SECTOR)
  return Buffer.concat([after.subarray(0, last), before.subarray(last)])
}

/** Any of the writes. */
function sectors(before: Buffer = Buffer.alloc(0), after: Buffer = Buffer.alloc(0), world: World): Buffer {
  const share = world.random()
  const changed = changedSectors(before, after)
  const left = changed.filter(() => world.chance(share))
  const end = changed.length === left.length ? after.length : Math.max(before.length, ...left.map(endOf))
  const mixed = Buffer.alloc(Math.min(Math.max(before.length, end), Math.max(before.length, after.length)))
  before.copy(mixed)
  for (const sector of left) after.copy(mixed, sector * SECTOR, sector * SECTOR, endOf(sector))
  return mixed
}

const endOf = (sector: number): number => (sector + 1) * SECTOR

function changedSectors(before: Buffer, after: Buffer): readonly number[] {
  const changed: number[] = []
  for (let at = 0; at < after.length; at += SECTOR) {
    const end = Math.min(at + SECTOR, after.length)
    if (end > before.length || before.compare(after, at, end, at, end) !== 0) changed.push(at / SECTOR)
  }
  return changed
}

/** The anchor file is written without a wait for the disk, so a power cut may leave an earlier state of it. */
export class AnchorWrites {
  private versions: { readonly at: number; readonly bytes: Buffer }[] = []

  note(at: number, bytes: Buffer): void {
    this.versions = this.versions.filter((each) => at - each.at < WRITTEN_OUT_MS)
    this.versions.push({ at, bytes })
  }

  afterPowerCut(now: Buffer | undefined, world: World): Buffer | undefined {
    const states = this.versions.map(({ bytes }) => bytes)
    this.versions = []
    if (now === undefined || states.length === 0) return now
    const place = world.between(0, states.length - 1)
    return sectors(states[place], states[place + 1] ?? now, world)
  }
}

/** Moves the files of the store away, or deletes them. What it returns moves them back. */
export function takeFiles(folder: string, isMoved: boolean): () => void {
  const paths = [STORE, LOG, `${STORE}-shm`].map((name) => join(folder, name))
  const taken = paths.filter((path) => existsSync(path))
  for (const path of taken) {
    if (isMoved) renameSync(path, `${path}.moved`)
    else rmSync(path)
  }
  return () => {
    for (const path of paths) rmSync(path, { force: true })
    for (const path of taken) renameSync(`${path}.moved`, path)
  }
}
