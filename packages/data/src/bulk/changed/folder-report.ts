/** What a run over a folder has done, in counts. */
import type { InputDoubt } from '../summary.ts'
import type { ManifestFile } from './manifest.ts'
import type { ReasonToScore } from './plan-changes.ts'

export interface FolderReport {
  readonly inputs: number
  readonly reasons: ReadonlyMap<ReasonToScore, number>
  /** Inputs that could not be read; their outputs are as before. */
  readonly refused: number
  readonly rows: number
  readonly scored: number
  /** The outputs whose input does not exist any more, and how many of them were removed. */
  readonly gone: number
  readonly removed: number
  /** Whether none of the inputs of the last run is there. */
  readonly isAllGone: boolean
  readonly hadDamagedManifest: boolean
  /** The doubts of all inputs, also of those that are as before. */
  readonly doubts: readonly InputDoubt[]
}

export function countReasons(
  changed: readonly { readonly reason: ReasonToScore }[],
): ReadonlyMap<ReasonToScore, number> {
  const reasons = new Map<ReasonToScore, number>()
  for (const { reason } of changed) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  return reasons
}

export function countRecords(files: readonly ManifestFile[]): Pick<FolderReport, 'rows' | 'scored'> {
  return {
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    scored: files.reduce((sum, file) => sum + file.scored, 0),
  }
}
