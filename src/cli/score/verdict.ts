/** The end of `score`: the summary of all its runs, and whether enough was scored. */
import type { Outcome } from '../../bulk/run.ts'
import { type Summary, count } from '../../bulk/summary.ts'

/** Exit code of a run that worked and scored too little. */
const UNSCORED = 3
const MOST_NOTES = 30

/** Prints what there is to say, and gives the exit code. `mostUnscored` is a share of the records. */
export function endRun(
  outcomes: readonly Outcome[],
  mostUnscored: number | undefined,
  isQuiet: boolean,
  start: number,
): number {
  const [first, ...others] = outcomes
  if (first === undefined) return 0
  const { summary } = first
  for (const other of others) summary.merge(other.summary)
  const { records, scored } = summary.tally
  const notes = outcomes.flatMap((outcome) => outcome.notes)
  for (const note of notes.slice(0, MOST_NOTES)) say(note)
  if (notes.length > MOST_NOTES) say(`${notes.length - MOST_NOTES} more notes.`)
  if (!isQuiet) {
    const unknown = new Set(outcomes.flatMap((outcome) => outcome.unknown))
    if (unknown.size > 0) say(`Columns that hold no field were ignored: ${[...unknown].join(', ')}.`)
    const seconds = (performance.now() - start) / 1000
    say(`${summary.text()}${seconds.toFixed(1)} s, ${count(Math.round(records / seconds))} records a second.`)
  }
  if (records > 0 && scored === 0) {
    say(`No record was scored. ${whyNothing(summary)}`)
    return UNSCORED
  }
  if (mostUnscored === undefined || records - scored <= mostUnscored * records) return 0
  say(`${count(records - scored)} of ${count(records)} records were not scored.`)
  return UNSCORED
}

function whyNothing({ tally }: Summary): string {
  if (tally.problems.get('idx')?.get('ValueError') === tally.records)
    return 'Every idx is refused: an idx is an integer that no other record has. For identifiers of any other kind use --id COLUMN.'
  const counts = [...tally.problems].map(([field, kinds]) => ({
    field,
    kinds: [...kinds.keys()].join(', '),
    many: [...kinds.values()].reduce((sum, each) => sum + each, 0),
  }))
  const [most] = counts.sort(
    (a, b) => b.many - a.many || Number(b.field === 'idx') - Number(a.field === 'idx'),
  )
  return most === undefined ? '' : `The commonest problem is in the field ${most.field} (${most.kinds}).`
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
