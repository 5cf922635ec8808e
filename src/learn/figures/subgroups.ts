/** The same figures for parts of the data: by sex, by age, by any named column. */
import { NotEstimable } from '../fit/not-estimable.ts'
import { brierScore, calibrationOf } from './calibration.ts'
import { cStatistic } from './discrimination.ts'
import { type Estimate, type Predictions, eventsOf, subset } from './predictions.ts'
import { type ThresholdFigures, ThresholdTable } from './thresholds.ts'

export interface Subgroup {
  readonly by: string
  readonly level: string
  readonly rows: number
  readonly events: number
  /** Left out when fewer than ten rows have the event, or fewer than ten have not: such figures mislead. */
  readonly figures?: {
    readonly cStatistic: Estimate
    readonly brier: number
    readonly meanPredicted: number
    readonly observed: number
    readonly ratio: number
    readonly inTheLarge: Estimate
    readonly slope: Estimate
    readonly atThreshold?: ThresholdFigures
  }
}

/** The level of each row, numbered, with the names of the levels. */
export interface Grouping {
  readonly by: string
  readonly levels: readonly string[]
  readonly levelOf: Uint16Array
}

const FEWEST = 10

export function subgroupsOf(
  predictions: Predictions,
  groupings: readonly Grouping[],
  threshold: number | undefined,
): readonly Subgroup[] {
  return groupings.flatMap(({ by, levels, levelOf }) =>
    levels.map((level, number) => {
      const places = Uint32Array.from(levelOf.keys()).filter((row) => levelOf[row] === number)
      const part = subset(predictions, places)
      const events = eventsOf(part)
      const head = { by, level, rows: places.length, events }
      if (events < FEWEST || places.length - events < FEWEST) return head
      const figures = figuresFor(part, threshold)
      return figures === undefined ? head : { ...head, figures }
    }),
  )
}

function figuresFor(part: Predictions, threshold: number | undefined): Subgroup['figures'] {
  try {
    const { meanPredicted, observed, ratio, inTheLarge, slope } = calibrationOf(part)
    return {
      cStatistic: cStatistic(part),
      brier: brierScore(part).value,
      meanPredicted,
      observed,
      ratio,
      inTheLarge,
      slope,
      ...(threshold === undefined ? {} : { atThreshold: new ThresholdTable(part).at(threshold) }),
    }
  } catch (error) {
    // A group in which all risks are the same has no slope.
    if (error instanceof NotEstimable) return undefined
    throw error
  }
}
