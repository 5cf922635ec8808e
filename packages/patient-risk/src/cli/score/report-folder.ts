/** What `score --changed` says of its folder: one line on what was done and why, and the exit code of all outputs together. */
import { type FolderReport, REASONS_TO_SCORE, type RunReport, count } from '@patient-risk/data/bulk'
import { printNote } from '../command.ts'

const WORDS = {
  new: 'new',
  options: 'for other options or another version of the program',
  deployment: 'for another model or other settings',
  changed: 'changed',
  output: 'with an output that is lost or not as it was written',
  day: 'for the new day',
} as const

export interface FolderEnd {
  /** The exit code that the scored inputs alone would give. */
  readonly code: number
  /** The share of the records of all inputs that may go unscored. */
  readonly mostUnscored: number | undefined
  readonly unscoredCode: number
  readonly isQuiet: boolean
}

/** Returns the exit code. Outputs that stay as they were count too: a second run must not hide what the first one has found. */
export function reportFolder(
  report: FolderReport,
  reports: readonly RunReport[],
  { code, mostUnscored, unscoredCode, isQuiet }: FolderEnd,
): number {
  if (report.hadDamagedManifest)
    printNote('The manifest of the folder was damaged, so every input was scored again.')
  if (report.isAllGone && report.gone > 0)
    printNote(
      'None of the inputs of the last run is there, as where a folder is not mounted: no output was removed.',
    )
  if (!isQuiet) printNote(folderLine(report, reports))
  if (code !== 0) return code
  const unscored = report.rows - report.scored
  const isTooMuch = mostUnscored === undefined ? report.scored === 0 : unscored > mostUnscored * report.rows
  if (report.rows === 0 || !isTooMuch) return 0
  printNote(`${count(unscored)} of the ${count(report.rows)} records of all inputs were not scored.`)
  return unscoredCode
}

function folderLine(report: FolderReport, reports: readonly RunReport[]): string {
  const { inputs, reasons, refused, gone, removed } = report
  const scored = [...reasons.values()].reduce((sum, many) => sum + many, 0)
  const why = REASONS_TO_SCORE.flatMap((reason) => {
    const many = reasons.get(reason)
    return many === undefined ? [] : `${count(many)} ${WORDS[reason]}`
  })
  const sentences = [
    `${count(scored)} of ${count(inputs)} inputs scored${why.length === 0 ? '' : ` (${why.join(', ')})`}`,
    `${count(inputs - scored - refused)} as before`,
    ...(refused === 0 ? [] : [`${count(refused)} refused`]),
    ...rowCounts(reports),
    ...(removed === 0 ? [] : [`${count(removed)} outputs removed with their inputs`]),
    ...(gone === removed ? [] : [`${count(gone - removed)} outputs kept whose inputs are gone`]),
  ]
  return `${sentences.join(', ')}.`
}

function rowCounts(reports: readonly RunReport[]): readonly string[] {
  const counts = reports.flatMap(({ rowChanges }) => rowChanges ?? [])
  if (counts.length === 0) return []
  const changed = counts.reduce((sum, each) => sum + each.changed, 0)
  const deleted = counts.reduce((sum, each) => sum + each.deleted, 0)
  return [`${count(changed)} rows changed`, `${count(deleted)} rows deleted`]
}
