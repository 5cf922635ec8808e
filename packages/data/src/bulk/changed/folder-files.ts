/** The folder of the outputs on the disk: its lock, and what is removed from it. */
import { rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isHeld, lockFile } from '@patient-risk/runtime'
import { WriteError, tempNames, writing } from '../output/sink.ts'

const LOCK = '.risk-manifest.lock'

/** Returns how to give the folder back. The system does so when the process ends, however that ends. */
export function lockFolder(folder: string): Promise<() => void> {
  return writing(folder, () => {
    try {
      const lock = lockFile(join(folder, LOCK))
      return () => lock.release()
    } catch (error) {
      if (isHeld(error))
        throw new WriteError(folder, 'another run is at work in it; wait for its end, or name another folder')
      throw new WriteError(folder, 'there is no room, or no right to write')
    }
  })
}

export async function removeOutput(folder: string, output: string): Promise<void> {
  const path = join(folder, output)
  await writing(path, () => rm(path, { force: true }))
  await removeTemporary(path)
  // Folders that are empty then go too.
  for (let inside = dirname(output); inside !== '.'; inside = dirname(inside)) {
    const isEmpty = await rmdir(join(folder, inside)).then(
      () => true,
      () => false,
    )
    if (!isEmpty) return
  }
}

/** What a run that was killed has left. */
export async function removeTemporary(path: string): Promise<void> {
  for (const name of tempNames(path)) await rm(name, { recursive: true, force: true })
}
