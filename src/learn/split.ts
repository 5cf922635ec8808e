/**
 * Validation by a column of the data, such as site or year. A given model is evaluated in each part as it is; a fit is
 * repeated without each part and evaluated on it (internal-external validation), or repeated on the parts that come
 * earlier in order (temporal validation). Patients who occur in the part are left out of the fit.
 */
import { type Estimate, type Predictions, estimateWith, subset } from './figures/predictions.ts'
import { type PartFigures, type Subgroup, partOf, subgroupsOf } from './figures/subgroups.ts'
import type { Estimates } from './fit/estimate.ts'
import { fitLogistic, ifEstimable } from './fit/logistic.ts'
import type { RowNotes } from './row-notes.ts'

export interface SplitReport {
  readonly by: string
  readonly how: 'the model as it is' | 'fitted on the other parts' | 'fitted on the earlier parts'
  readonly parts: readonly Subgroup[]
  /** Over the parts, by random effects; where at least two have figures. */
  readonly pooled?: Readonly<Record<(typeof POOLED)[number], Pooled>>
}

export interface Pooled extends Estimate {
  /** The standard deviation between parts, beyond what chance explains. */
  readonly between: number
}

const POOLED = ['cStatistic', 'inTheLarge', 'slope'] as const

/** A given model in each part. Empty where the specification names no column. */
export function splitReport(
  notes: RowNotes,
  predictions: Predictions,
  threshold: number | undefined,
): { readonly split?: SplitReport } {
  const grouping = notes.split()
  if (grouping === undefined) return {}
  return reportOf(grouping.by, 'the model as it is', subgroupsOf(predictions, [grouping], threshold))
}

/** A fit that is repeated for each part, on the other parts or on the earlier ones. */
export function splitFit(
  { design, ridge, notes }: Estimates,
  isTemporal: boolean,
  threshold: number | undefined,
): { readonly split?: SplitReport } {
  const grouping = notes.split()
  if (grouping === undefined) return {}
  const { by, levels, levelOf } = grouping
  const { clusters } = design.labels
  const parts = levels.flatMap((level, number): readonly Subgroup[] => {
    if (isTemporal && number === 0) return []
    const isIn = (row: number): boolean => levelOf[row] === number
    const inside = new Set(clusters.filter((_patient, row) => isIn(row)))
    const isBefore = (row: number): boolean => (isTemporal ? (levelOf[row] as number) < number : !isIn(row))
    const others = design.select((row) => isBefore(row) && !inside.has(clusters[row] as number))
    // The columns are standardised already, so these are coefficients of the standardised columns.
    const fit =
      others.events === 0 || others.events === others.rows
        ? undefined
        : ifEstimable(() => fitLogistic(others, { penalty: ridge?.penalty ?? 0 }))
    if (fit === undefined)
      return [{ by, level, rows: levelOf.filter((own) => own === number).length, events: 0 }]
    return [partOf(by, level, subset(design.predict(fit.coefficients), isIn), threshold)]
  })
  return reportOf(by, isTemporal ? 'fitted on the earlier parts' : 'fitted on the other parts', parts)
}

function reportOf(by: string, how: SplitReport['how'], parts: readonly Subgroup[]): { split: SplitReport } {
  const known = parts.flatMap(({ figures }) => (figures === undefined ? [] : [figures]))
  if (known.length < 2) return { split: { by, how, parts } }
  const pooled = Object.fromEntries(POOLED.map((name) => [name, pool(known.map((each) => each[name]))]))
  return { split: { by, how, parts, pooled: pooled as unknown as Record<(typeof POOLED)[number], Pooled> } }
}

/** The estimate of DerSimonian and Laird over parts of which each has its own truth. */
export function pool(parts: readonly PartFigures[(typeof POOLED)[number]][]): Pooled {
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
