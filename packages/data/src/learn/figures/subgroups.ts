/** The same figures for parts of the data (by sex, by age, by any named column), and how far the parts differ. */
import { roundRisk } from 'patient-risk-engine'
import type { Grouping, RowAttributes } from '../data/row-attributes.ts'
import {
  ifEstimable,
  brierScore,
  calibrationOf,
  cStatistic,
  type Predictions,
  estimateWith,
  eventsOf,
  shareEstimate,
  subset,
} from '@patient-risk/statistics'
import { thresholdTable } from './thresholds.ts'

export interface Subgroup {
  readonly by: string
  readonly level: string
  readonly rows: number
  readonly events: number
  /** Left out when fewer than ten rows have the event, or fewer than ten do not: such figures mislead. */
  readonly figures?: PartFigures
}

type PartFigures = NonNullable<ReturnType<typeof partFigures>>

const FEWEST = 10

export function subgroupsOf(
  predictions: Predictions,
  groupings: readonly Grouping[],
  threshold: number | undefined,
): readonly Subgroup[] {
  return groupings.flatMap(({ by, levels, levelOf }) =>
    levels.map((level, number) => {
      const part = subset(predictions, (row) => levelOf[row] === number)
      return partOf(by, level, part, threshold)
    }),
  )
}

export function partOf(by: string, level: string, part: Predictions, threshold?: number): Subgroup {
  const events = eventsOf(part)
  const rows = part.risks.length
  const figures = Math.min(events, rows - events) < FEWEST ? undefined : partFigures(part, threshold)
  return { by, level, rows, events, ...(figures && { figures }) }
}

/** Undefined where all risks are the same: such a part has no slope. */
function partFigures(part: Predictions, threshold?: number) {
  return ifEstimable(() => {
    const { meanPredicted, observed, ratio, inTheLarge, slope } = calibrationOf(part)
    const brier = brierScore(part).value
    const figures = { cStatistic: cStatistic(part), brier, meanPredicted, observed, ratio, inTheLarge, slope }
    return { ...figures, ...(threshold !== undefined && atThreshold(part, threshold)) }
  })
}

function atThreshold(part: Predictions, threshold: number) {
  const shareIn = (outcome: 0 | 1, isWanted: (isFlagged: boolean) => boolean) => {
    const side = subset(part, (row) => part.outcomes[row] === outcome)
    return shareEstimate(side, (row) => isWanted(roundRisk(side.risks[row] as number) >= threshold))
  }
  return {
    atThreshold: thresholdTable(part)(threshold),
    sensitivity: shareIn(1, (isFlagged) => isFlagged),
    specificity: shareIn(0, (isFlagged) => !isFlagged),
  }
}

const DIFFERING = ['inTheLarge', 'sensitivity', 'specificity'] as const

/** The difference between one level of a grouping and its largest level. */
export interface Difference extends Pick<Subgroup, 'by' | 'level'>, Differing {
  readonly reference: string
}

type Differing = Pick<PartFigures, (typeof DIFFERING)[number]>

/**
 * Differences of calibration, sensitivity and specificity between groups. The two parts count as independent; where one
 * patient has rows in both, the intervals are too wide rather than too narrow.
 */
export function differencesOf(subgroups: readonly Subgroup[]): readonly Difference[] {
  const known = subgroups.filter(({ figures }) => figures !== undefined)
  return [...Map.groupBy(known, ({ by }) => by).values()].flatMap((parts) => {
    const reference = parts.reduce((largest, part) => (part.rows > largest.rows ? part : largest))
    const others = parts.filter((part) => part !== reference)
    return others.map(({ by, level, figures }) => {
      const differences = DIFFERING.flatMap((name) => {
        const a = figures?.[name]
        const b = reference.figures?.[name]
        if (a === undefined || b === undefined) return []
        return [[name, estimateWith(a.value - b.value, Math.hypot(a.error, b.error))] as const]
      })
      const between = Object.fromEntries(differences) as Differing
      return { by, level, reference: reference.level, ...between }
    })
  })
}

/** The same figures under other assumptions: complete records alone, and the competing event counted as the outcome. */
export function sensitivityOf(
  predictions: Predictions,
  { complete, competing }: Pick<RowAttributes, 'complete' | 'competing'>,
  threshold: number | undefined,
): readonly Subgroup[] {
  const { outcomes } = predictions
  const parts: Subgroup[] = []
  const add = (by: string, level: string, part: Predictions): unknown =>
    parts.push(partOf(by, level, part, threshold))
  const known = subset(predictions, (row) => complete[row] === true)
  if (complete.includes(false)) add('missing values', 'complete records only', known)
  if (competing === undefined) return parts
  const counted = outcomes.map((outcome, row) => (competing[row] === true ? 1 : outcome))
  const rest = subset(predictions, (row) => outcomes[row] === 1 || competing[row] === false)
  add('competing event', 'counted as the outcome', { ...predictions, outcomes: counted })
  add('competing event', 'rows with it left out', rest)
  return parts
}
