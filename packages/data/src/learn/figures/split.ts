/**
 * Validation by a column of the data, such as site or year. A given model is evaluated in each part as it is; a fit is
 * repeated without each part and evaluated on it (internal-external validation), or repeated on the parts that come
 * earlier in order (temporal validation). Patients who occur in the part are left out of the fit.
 */
import {
  type Estimate,
  estimateWith,
  eventsOf,
  subset,
  fitLogistic,
  ifEstimable,
} from '@patient-risk/statistics'
import type { Grouping } from '../data/row-attributes.ts'
import { type Subgroup, partOf } from './subgroups.ts'
import type { Estimates } from '../fit/estimate.ts'

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

export function splitReport(by: string, how: SplitReport['how'], parts: readonly Subgroup[]): SplitReport {
  const known = parts.flatMap(({ figures }) => figures ?? [])
  if (known.length < 2) return { by, how, parts }
  const pooled = POOLED.map((name) => [name, pool(known.map((each) => each[name]))] as const)
  return { by, how, parts, pooled: Object.fromEntries(pooled) as Pools }
}

export function splitFit(
  { design, ridge }: Estimates,
  { by, levels, levelOf }: Grouping,
  isTemporal: boolean,
  threshold: number | undefined,
): SplitReport {
  const { clusters } = design.labels
  const parts = levels.map((level, part) => {
    const isIn = (row: number): boolean => levelOf[row] === part
    const inside = new Set(clusters.filter((_patient, row) => isIn(row)))
    const others = design.select((row) => {
      const own = levelOf[row] as number
      return (isTemporal ? own < part : own !== part) && !inside.has(clusters[row] as number)
    })
    const events = eventsOf(others.labels)
    const isOneSided = events === 0 || events === others.rows
    // The columns are standardised already, so these are coefficients of the standardised columns.
    const fit = isOneSided
      ? undefined
      : ifEstimable(() => fitLogistic(others, { penalty: ridge?.penalty ?? 0 }))
    if (fit !== undefined) return partOf(by, level, subset(design.predict(fit.coefficients), isIn), threshold)
    return { by, level, rows: levelOf.filter((own) => own === part).length, events: 0 }
  })
  // Nothing comes before the first part.
  if (isTemporal) return splitReport(by, 'fitted on the earlier parts', parts.slice(1))
  return splitReport(by, 'fitted on the other parts', parts)
}

/** The random-effects estimate of DerSimonian and Laird over the parts. */
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
