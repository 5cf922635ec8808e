/** What a run says of fields that probably mean something else, and when it ends with exit code 4 for them. */
import type { InputDoubt } from '@patient-risk/data/bulk'
import { type DoubtKind, SERIOUS_DOUBTS, doubtText } from '@patient-risk/monitor'
import { printNote } from '../command.ts'

/** Exit code of a run whose output is written and whose data probably mean something else. */
const DOUBTED = 4
const MOST_DOUBTS = 30
/** Options that say what a file means. */
const HINTS: readonly (readonly [DoubtKind, string])[] = [
  ['codes', '--codes FILE says what codes mean, such as {"sex":{"H":"M","M":"F"}}.'],
  [
    'missing-code',
    '--missing TEXT names what stands for a missing value in CSV, Parquet or XLSX, such as NA or 999.',
  ],
]

/** Returns the exit code: 0 where nothing serious is in doubt, or where doubts are accepted. */
export function reportDoubts(doubts: readonly InputDoubt[], isAccepted: boolean): number {
  const shown = shownOf(doubts).map((each) => `  ${each.file}: ${doubtText(each)}\n`)
  if (shown.length > 0) {
    const rest = doubts.length - shown.length
    const more = rest > 0 ? `  and ${rest} more\n` : ''
    printNote(`Doubts about the data (the output is written):\n${shown.join('')}${more}`.trimEnd())
  }
  const serious = doubts.filter(({ doubt }) => SERIOUS_DOUBTS.has(doubt))
  if (serious.length === 0 || isAccepted) return 0
  const names = [...new Set(serious.map(({ field, doubt }) => `${field} (${doubt})`))].join(', ')
  const hints = HINTS.filter(([kind]) => serious.some(({ doubt }) => doubt === kind))
  printNote(
    [`Check ${names}.`, ...hints.map(([, hint]) => hint), 'If the data are right, add --accept-doubts.'].join(
      ' ',
    ),
  )
  return DOUBTED
}

/** As many as are shown, in their order: the first of each file before the second of any. */
export function shownOf(doubts: readonly InputDoubt[]): readonly InputDoubt[] {
  const ofFile = new Map<string, number>()
  const ranked = doubts.map((doubt, at) => {
    const rank = ofFile.get(doubt.file) ?? 0
    ofFile.set(doubt.file, rank + 1)
    return { doubt, at, rank }
  })
  const shown = ranked.sort((one, other) => one.rank - other.rank || one.at - other.at).slice(0, MOST_DOUBTS)
  return shown.sort((one, other) => one.at - other.at).map(({ doubt }) => doubt)
}
