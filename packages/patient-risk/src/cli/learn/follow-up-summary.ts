/** A validation by times of follow-up in a few lines for the terminal. */
import { type FollowUpReport, integer, percent } from '@patient-risk/data/learn'
import type { Estimate } from '@patient-risk/statistics'
import type { LearnContext } from './learn-command.ts'
import { type Line, interval, linesText, printWarnings, span } from './summary.ts'

type Reading = FollowUpReport['readings'][number]
type Range = Pick<Estimate, 'from' | 'to'>

export function printFollowUp(
  { print }: Pick<LearnContext, 'print'>,
  report: FollowUpReport,
  isJson = false,
): void {
  print(followUpSummary(report), isJson && report)
  printWarnings(report.warnings)
}

function followUpSummary({ model, data, patients, readings, assumption }: FollowUpReport): string {
  const day = model.horizonDays
  return linesText([
    ['model', `${model.id}@${model.version}`],
    [
      'data',
      `${integer(data.used)} of ${integer(data.read)} ${data.noun} used, ${integer(patients)} patients`,
    ],
    ...data.leftOut.map(({ reason, rows }): Line => ['left out', `${integer(rows)}: ${reason}`]),
    ...(data.assumed ?? []).map(({ input, rows }): Line => ['assumed', `${integer(rows)}: ${input} missing`]),
    ['assumption', assumption],
    ...readings.flatMap((reading) => readingLines(reading, day)),
  ])
}

function readingLines(reading: Reading, day: number): readonly Line[] {
  const { followed, observed, meanRisk, ratio, brier, area, concordance, intervals, groups, parts } = reading
  const { inTheLarge, slope, deathIs } = reading
  const shareText = ({ value, from, to }: Estimate): string =>
    `${percent(value, 1)} (95 % ${percent(from, 1)} to ${percent(to, 1)})`
  const byPatient = (estimate: Estimate, sampled: readonly [number, number] | undefined): Estimate =>
    sampled === undefined ? estimate : { ...estimate, from: sampled[0], to: sampled[1] }
  const plain = (value: number, sampled: readonly [number, number] | undefined): string =>
    sampled === undefined ? value.toFixed(4) : `${value.toFixed(4)} (95 % ${span(sampled, 4)})`
  const eventFree =
    deathIs === 'none'
      ? `; against those alone who were followed beyond it ${plain(area.eventFree, intervals?.eventFreeArea)}`
      : ''
  const c =
    deathIs === 'none'
      ? `${plain(concordance.wolbers, intervals?.wolbers)} (Wolbers)`
      : `${plain(concordance.uno, intervals?.uno)} (Uno), ${plain(concordance.harrell, intervals?.harrell)} (Harrell)`
  const lines: Line[] = [
    ['death', reading.meaning],
    ['verdict', reading.verdict],
    [
      `by day ${day}`,
      `${integer(followed.events)} events, ${integer(followed.diedFirst)} died first, ${integer(followed.censored)} lost by then, ${integer(followed.followed)} followed beyond`,
    ],
    [
      'share',
      `${shareText(byPatient(observed, intervals?.observed))} observed, ${percent(meanRisk, 1)} predicted`,
    ],
    ['O/E', interval(byPatient(ratio, intervals?.ratio), 3)],
    ['in the large', interval(byPatient(inTheLarge, intervals?.inTheLarge), 3)],
    ['slope', interval(byPatient(slope, intervals?.slope), 3)],
    [
      'Brier',
      `${plain(brier.value, intervals?.brier)}, ${brier.constant.toFixed(4)} if all had the observed share, scaled ${brier.scaled.toFixed(4)}`,
    ],
    [`AUC`, `${plain(area.value, intervals?.area)}${eventFree}`],
    ['c-statistic', c],
  ]
  if (intervals !== undefined) {
    const { samples, seed } = intervals
    lines.push(['by patient', `intervals from ${integer(samples)} samples, seed ${seed}`])
  }
  for (const [index, group] of groups.entries()) {
    const ends = { from: group.lowest, to: group.highest }
    const text = `${risks(ends)}: ${percent(group.meanRisk, 1)} predicted, ${shareText(group.observed)} observed`
    lines.push([index === 0 ? 'by risk' : '', text])
  }
  for (const { by, level, rows, events, figures } of parts) {
    const counts = `${integer(rows)} rows, ${integer(events)} events`
    const text = figures === undefined ? 'too few for figures' : `O/E ${interval(figures.ratio, 2)}`
    lines.push(['part', `${by} ${level}: ${counts}, ${text}`])
  }
  return lines
}

function risks({ from, to }: Range): string {
  return `${percent(from, 1)} to ${percent(to, 1)}`
}
