/** The end of `score`: the summary of all its runs, and whether enough was scored. */
import type { Outcome } from '../../bulk/run.ts'
import type { Summary } from '../../bulk/summary.ts'

/** Exit code of a run that worked and scored too little. */
const UNSCORED = 3
const MOST_NOTES = 30

export class Verdict {
  private summary: Summary | undefined
  private readonly notes: string[] = []
  private readonly unknown = new Set<string>()
  private readonly mostUnscored: number | undefined
  private readonly isQuiet: boolean
  private readonly start = performance.now()

  constructor(mostUnscored: number | undefined, isQuiet: boolean) {
    this.mostUnscored = mostUnscored
    this.isQuiet = isQuiet
  }

  add(outcome: Outcome): void {
    if (this.summary === undefined) this.summary = outcome.summary
    else this.summary.merge(outcome.summary)
    this.notes.push(...outcome.notes)
    for (const name of outcome.unknown) this.unknown.add(name)
  }

  /** Prints what there is to say, and gives the exit code. */
  end(): number {
    const { summary } = this
    if (summary === undefined) return 0
    const { records, scored } = summary.tally
    for (const note of this.notes.slice(0, MOST_NOTES)) say(note)
    if (this.notes.length > MOST_NOTES) say(`${this.notes.length - MOST_NOTES} more notes.`)
    if (!this.isQuiet) {
      if (this.unknown.size > 0)
        say(`Columns that hold no field were ignored: ${[...this.unknown].join(', ')}.`)
      const seconds = (performance.now() - this.start) / 1000
      const rate = Math.round(records / seconds).toLocaleString('en')
      say(`${summary.text()}${seconds.toFixed(1)} s, ${rate} records a second.`)
    }
    if (records > 0 && scored === 0) {
      say(`No record was scored. ${whyNothing(summary)}`)
      return UNSCORED
    }
    if (this.mostUnscored === undefined || records - scored <= this.mostUnscored * records) return 0
    say(
      `${(records - scored).toLocaleString('en')} of ${records.toLocaleString('en')} records were not scored.`,
    )
    return UNSCORED
  }
}

function whyNothing({ tally }: Summary): string {
  const counts = [...tally.problems].map(([field, kinds]) => ({
    field,
    kinds,
    count: [...kinds.values()].reduce((sum, each) => sum + each, 0),
  }))
  const [most] = counts.sort(
    (a, b) => b.count - a.count || Number(b.field === 'idx') - Number(a.field === 'idx'),
  )
  const idx = tally.problems.get('idx')?.get('ValueError') ?? 0
  if (idx === tally.records)
    return 'Every idx is refused: an idx is an integer that no other record has. For identifiers of any other kind use --id COLUMN.'
  return most === undefined
    ? ''
    : `The commonest problem is in the field ${most.field} (${[...most.kinds.keys()].join(', ')}).`
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
