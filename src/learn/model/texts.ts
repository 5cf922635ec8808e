/** Figures of a fit in words: what a specification's texts may name in braces, and how each is printed. */
import type { Optimism } from '../figures/optimism.ts'
import type { Figures } from '../figures/figures.ts'
import type { ThresholdFigures } from '../figures/thresholds.ts'
import { DataError } from '../data/data-error.ts'

export interface TextFigures {
  readonly figures: Figures
  readonly noun: string
  readonly method: string
  readonly optimism: Optimism | undefined
  readonly atThreshold: ThresholdFigures | undefined
}

export const SHARES = {
  data: 'Development: {rows} {noun}, {events} events',
  apparent: 'Slope {slope} on its own data.',
  corrected:
    'Slope {slope} on its own data. Corrected for optimism by {samples} samples of patients: c-statistic {correctedC}, slope {correctedSlope}.',
} as const

export type Texts = Readonly<Record<string, string>>

export function figureTexts({ figures, noun, method, optimism, atThreshold }: TextFigures): Texts {
  return {
    rows: whole(figures.rows),
    noun,
    method,
    events: whole(figures.events),
    patients: whole(figures.patients),
    eventShare: percent(figures.events / figures.rows, 2),
    cStatistic: figures.cStatistic.value.toFixed(4),
    brier: figures.brier.value.toFixed(5),
    slope: known(figures.calibration.slope.value, 3),
    ...(optimism === undefined
      ? {}
      : {
          samples: whole(optimism.samples),
          correctedC: optimism.cStatistic.corrected.toFixed(4),
          correctedSlope: optimism.slope.corrected.toFixed(3),
        }),
    ...(atThreshold === undefined
      ? {}
      : {
          flagged: percent(atThreshold.flagged, 1),
          sensitivity: atThreshold.sensitivity.toFixed(3),
          specificity: atThreshold.specificity.toFixed(3),
          positiveValue: known(atThreshold.positiveValue, 3),
        }),
  }
}

/** The text with each name in braces replaced by its figure. */
export function fillIn(text: string, texts: Texts): string {
  return text.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const figure = texts[name]
    if (figure === undefined) {
      throw new DataError([
        `specification: there is no figure {${name}}; there are ${Object.keys(texts).join(', ')}`,
      ])
    }
    return figure
  })
}

/** Nobody flagged has no predictive value, and a perfect separation has no slope. */
export function known(value: number, decimals: number): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : 'not defined'
}

export function whole(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

export function percent(share: number, decimals: number): string {
  return `${(share * 100).toFixed(decimals)} %`
}
