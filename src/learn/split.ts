/**
 * Validation by a column of the data, such as site or year. A given model is evaluated in each part as it is; a fit is
 * repeated without each part and evaluated on it (internal-external validation), or repeated on the parts that come
 * earlier in order (temporal validation). Patients who occur in the part are left out of the fit.
 */
import { type Estimate, type Predictions, estimateWith, eventsOf, subset } from './figures/predictions.ts'
import { type Grouping, type Subgroup, partOf } from './figures/subgroups.ts'
import type { Estimates } from './fit/estimate.ts'
import { fitLogistic, ifEstimable } from './fit/logistic.ts'

export interface SplitReport {
  readonly by: string
  readonly how: 'the model as it is' | 'fitted on the other parts' | 'fitted on the earlier parts'
  readonly parts: readonly Subgroup[]
  /** Over the parts, by random effects; where at least two have figures. */
  readonly pooled?: Pools
}

type Pools = Readonly<Record<(typeof POOLED)[number], Pooled>>

export interface Pooled extends Estimate {
  /** The standard deviation between parts, beyond what chance explains. */
  readonly between: number
}

const POOLED = ['cStatistic', 'inTheLarge', 'slope'] as const

/** Figures of each part, from the risks that `risksFor` gives for it. Empty where the specification names no column. */
export function splitReport(
  grouping: Grouping | undefined,
  how: SplitReport['how'],
  threshold: number | undefined,
  risksFor: (part: number, partOfRow: Uint16Array) => Predictions | undefined,
): { readonly split?: SplitReport } {
  if (grouping === undefined) return {}
  const { by, levels, levelOf } = grouping
  const parts = levels.map((level, part) => {
    const isIn = (row: number): boolean => levelOf[row] === part
    const predictions = risksFor(part, levelOf)
    if (predictions !== undefined) return partOf(by, level, subset(predictions, isIn), threshold)
    return { by, level, rows: levelOf.filter((own) => own === part).length, events: 0 }
  })
  // Nothing comes before the first part.
  if (how === 'fitted on the earlier parts') parts.shift()
  const known = parts.flatMap(({ figures }) => (figures === undefined ? [] : [figures]))
  if (known.length < 2) return { split: { by, how, parts } }
  const pooled = POOLED.map((name) => [name, pool(known.map((each) => each[name]))] as const)
  return { split: { by, how, parts, pooled: Object.fromEntries(pooled) as Pools } }
}

/** A fit that is repeated for each part, on the other parts or on the earlier ones. */
export function splitFit(
  { design, ridge, notes }: Estimates,
  isTemporal: boolean,
  threshold: number | undefined,
): { readonly split?: SplitReport } {
  const { clusters } = design.labels
  const how = isTemporal ? 'fitted on the earlier parts' : 'fitted on the other parts'
  return splitReport(notes.split(), how, threshold, (part, partOfRow) => {
    const inside = new Set(clusters.filter((_patient, row) => partOfRow[row] === part))
    const others = design.select((row) => {
      const own = partOfRow[row] as number
      return (isTemporal ? own < part : own !== part) && !inside.has(clusters[row] as number)
    })
    const events = eventsOf(others.labels)
    if (events === 0 || events === others.rows) return undefined
    // The columns are standardised already, so these are coefficients of the standardised columns.
    const fit = ifEstimable(() => fitLogistic(others, { penalty: ridge?.penalty ?? 0 }))
    return fit && design.predict(fit.coefficients)
  })
}

/** The estimate of DerSimonian and Laird over parts of which each has its own truth. */
export function pool(parts: readonly Estimate[]): Pooled {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const meanBy = (weights: readonly number[]): number =>
    sum(parts.map(({ value }, k) => value * (weights[k] as number))) / sum(weights)
  const plain = parts.map(({ error }) => 1 / (error * error))
  const centre = meanBy(plain)
  const spread = sum(parts.map(({ value }, k) => (plain[k] as number) * (value - centre) ** 2))
  const scale = sum(plain) - sum(plain.map((weight) => weight * weight)) / sum(plain)
  const variance = Math.max(0, (spread - (parts.length - 1)) / scale)
  const weights = parts.map(({ error }) => 1 / (error * error + variance))
  return { ...estimateWith(meanBy(weights), Math.sqrt(1 / sum(weights))), between: Math.sqrt(variance) }
}
