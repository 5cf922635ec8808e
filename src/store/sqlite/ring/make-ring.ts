/** Makes the file of a ring, with room for all it will ever hold. */
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { RING_BYTES } from './claim.ts'

const PIECE = Buffer.alloc(1_048_576)
const OWNER_ONLY = 0o600

export function makeRing(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === RING_BYTES) return
  const file = openSync(path, 'w', OWNER_ONLY)
  try {
    // Written out: room that is only promised would be looked for at every write.
    for (let at = 0; at < RING_BYTES; at += PIECE.length) writeSync(file, PIECE, 0, PIECE.length, at)
    fsyncSync(file)
    syncFolder(dirname(path))
  } catch (error) {
    // A ring that is too short, as on a full disk, would be taken for one with room.
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** The name of a new file is part of its folder. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
