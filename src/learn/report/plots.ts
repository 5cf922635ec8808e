/** The plots of reports: calibration, distribution of risks, decision curve, forest, control chart. */
import type { Figures } from '../figures/figures.ts'
import type { Estimate } from '../figures/predictions.ts'
import { type Axis, Chart } from './chart.ts'

const percentAxis = (to: number, title: string): Axis => ({
  from: 0,
  to,
  title,
  format: (value) => `${Number((value * 100).toPrecision(3))} %`,
})

/** The highest risk worth drawing: beyond it hardly a row lies. */
function reach({ groups, curve }: Figures): number {
  const highest = Math.max(
    ...groups.map(({ predicted, to }) => Math.max(predicted, to)),
    ...(curve?.points ?? []).map(({ predicted, observed }) => Math.max(predicted, observed)),
  )
  return Math.min(1, Math.ceil(highest * 10.5) / 10)
}

/** Predicted against observed: the curve with its band, ten groups with their intervals, the line of perfection. */
export function calibrationPlot(figures: Figures, before?: Figures): string {
  const most = Math.max(reach(figures), before === undefined ? 0 : reach(before))
  const chart = new Chart(
    'Calibration: predicted against observed risk',
    percentAxis(most, 'Predicted risk'),
    percentAxis(most, 'Observed'),
  )
  const { curve, groups } = figures
  if (curve !== undefined) {
    const band = curve.points
    chart.area(
      [
        ...band.map(({ predicted, to }) => [predicted, to] as const),
        ...[...band].reverse().map(({ predicted, from }) => [predicted, from] as const),
      ],
      'band',
    )
  }
  chart.line(
    [
      [0, 0],
      [most, most],
    ],
    'ideal',
  )
  if (before?.curve !== undefined) {
    chart.line(
      before.curve.points.map(({ predicted, observed }) => [predicted, observed]),
      'before',
    )
  }
  if (curve !== undefined)
    chart.line(
      curve.points.map(({ predicted, observed }) => [predicted, observed]),
      'curve',
    )
  for (const { predicted, observed, from, to } of groups) {
    chart.line(
      [
        [predicted, from],
        [predicted, to],
      ],
      'whisker',
    )
    chart.dot([predicted, observed], 'group')
  }
  return chart.toString()
}

/** How the risks spread among those with and without the event, each as a share of its own. */
export function distributionPlot({ histogram, events, rows }: Figures): string {
  const shares = (counts: readonly number[], of: number): number[] =>
    counts.map((count) => count / Math.max(1, of))
  const withEvent = shares(histogram.events, events)
  const without = shares(histogram.others, rows - events)
  const last =
    Math.max(
      withEvent.findLastIndex((share) => share > 0.001),
      without.findLastIndex((share) => share > 0.001),
    ) + 1
  const most = Math.max(...withEvent, ...without) * 1.08
  const chart = new Chart(
    'Distribution of predicted risks',
    percentAxis(Math.max(0.1, last * histogram.width), 'Predicted risk'),
    percentAxis(most, 'Share of rows'),
  )
  for (let bin = 0; bin < last; bin++) {
    const from = bin * histogram.width
    chart.bar(from, from + histogram.width / 2, without[bin] ?? 0, 'without')
    chart.bar(from + histogram.width / 2, from + histogram.width, withEvent[bin] ?? 0, 'with')
  }
  return chart.toString()
}

/** Net benefit of the model against flagging everybody and nobody. */
export function decisionPlot({ decision }: Figures, before?: Figures): string {
  const useful = decision.filter(({ netBenefit, netBenefitAll }) => netBenefit > 0.0005 || netBenefitAll > 0)
  const last = useful[useful.length - 1]?.threshold ?? 0.2
  const most = Math.max(...decision.map(({ netBenefit }) => netBenefit)) * 1.1
  const shown = decision.filter(({ threshold }) => threshold <= Math.min(0.6, last + 0.05))
  const x = percentAxis(shown[shown.length - 1]?.threshold ?? 0.5, 'Threshold')
  const chart = new Chart('Decision curve: net benefit by threshold', x, {
    from: -most * 0.15,
    to: most,
    title: 'Net benefit',
    format: (value) => String(value),
  })
  chart.line(
    [
      [0, 0],
      [x.to, 0],
    ],
    'nobody',
  )
  const everybody = shown.filter(({ netBenefitAll }) => netBenefitAll > -most * 0.15)
  chart.line(
    everybody.map(({ threshold, netBenefitAll }) => [threshold, netBenefitAll]),
    'everybody',
  )
  if (before !== undefined) {
    const old = before.decision.filter(({ threshold }) => threshold <= x.to)
    chart.line(
      old.map(({ threshold, netBenefit }) => [threshold, netBenefit]),
      'before',
    )
  }
  chart.line(
    shown.map(({ threshold, netBenefit }) => [threshold, netBenefit]),
    'curve',
  )
  return chart.toString()
}

/** One row of a forest: an estimate with its interval on a common axis, drawn inside a table's cell. */
export function forestBar(
  { value, from, to }: Pick<Estimate, 'value' | 'from' | 'to'>,
  [low, high]: readonly [number, number],
  mark: number,
): string {
  const place = (at: number): number =>
    Math.round(((Math.min(high, Math.max(low, at)) - low) / (high - low)) * 1480) / 10 + 1
  return `<svg class="forest" viewBox="0 0 150 16" aria-hidden="true"><line class="ideal" x1="${place(mark)}" y1="0" x2="${place(mark)}" y2="16"/><line class="whisker" x1="${place(from)}" y1="8" x2="${place(to)}" y2="8"/><rect class="group" x="${place(value) - 3}" y="5" width="6" height="6"/></svg>`
}

/** Months in order with their limits: a line for what was seen, a band for what chance allows. */
export function controlPlot(
  title: string,
  centre: number,
  months: readonly {
    readonly value: number
    readonly low: number
    readonly high: number
    readonly isOut: boolean
  }[],
): string {
  const known = months
    .map((month, at) => ({ ...month, at: at + 1 }))
    .filter(({ value }) => Number.isFinite(value))
  const ends = known.flatMap(({ value, low, high }) => [value, low, high])
  const [from, to] = [Math.min(centre, ...ends), Math.max(centre, ...ends)]
  const edge = (to - from) * 0.05 || 0.1
  const chart = new Chart(
    title,
    { from: 0.5, to: months.length + 0.5, title: 'Month, in order', format: String },
    { from: from - edge, to: to + edge, title, format: String },
    240,
  )
  const upper = known.map(({ at, high }) => [at, high] as const)
  chart.area([...upper, ...known.map(({ at, low }) => [at, low] as const).reverse()], 'band')
  chart.line(
    [
      [0.5, centre],
      [months.length + 0.5, centre],
    ],
    'ideal',
  )
  chart.line(
    known.map(({ at, value }) => [at, value]),
    'curve',
  )
  for (const { at, value, isOut } of known) chart.dot([at, value], isOut ? 'with' : 'group')
  return chart.toString()
}
