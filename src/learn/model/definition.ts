/** The file of a fitted model: the specification's words, in which braces name figures of the fit, and its numbers. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { ProfileDefinition } from '../../definition/profile.ts'
import { DataError } from '../data/data-error.ts'
import type { Figures } from '../figures/figures.ts'
import type { Optimism } from '../figures/resampling.ts'
import type { ThresholdFigures } from '../figures/thresholds.ts'
import type { RoundedFit } from '../fit/estimate.ts'
import { type Draft, modelWith, termsWith } from './draft.ts'
import { known, percent, whole } from './texts.ts'

export interface TextFigures {
  readonly figures: Figures
  readonly noun: string
  readonly method: string
  readonly optimism: Optimism | undefined
  readonly atThreshold: ThresholdFigures | undefined
}

const TEXTS = {
  development:
    'Logistic regression by {method} on {rows} {noun} of {patients} patients with {events} events ({eventShare}).',
  data: 'Development: {rows} {noun}, {events} events',
  slope: 'Slope {slope} on its own data.',
  corrected:
    ' Corrected for optimism by {samples} samples of patients: c-statistic {correctedC}, slope {correctedSlope}.',
  calibration:
    'In the development data the mean prediction equals the observed share by construction. Nothing is known yet about other data.',
  nobody: 'In development it flags nobody: no risk reaches the threshold.',
  cost: 'In development it flags {flagged}, finds {sensitivity} of the events and spares {specificity} of the others; {positiveValue} of the flagged have the event.',
}

export function definitionOf(
  { specification, units }: Draft,
  { intercept, coefficients }: RoundedFit,
  found: TextFigures,
  profile: ProfileDefinition,
): ModelDefinition {
  const { card, threshold } = specification
  const { figures, optimism, atThreshold } = found
  const texts = figureTexts(found)
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
      const figure = texts[name]
      if (figure !== undefined) return figure
      throw new DataError([
        `specification: there is no figure {${name}}; there are ${Object.keys(texts).join(', ')}`,
      ])
    })
  const own = {
    data: fill(TEXTS.data),
    cStatistic: Number(figures.cStatistic.value.toFixed(4)),
    brier: Number(figures.brier.value.toFixed(5)),
    calibration: fill(TEXTS.slope + (optimism === undefined ? '' : TEXTS.corrected)),
  }
  const cost = atThreshold?.flagged === 0 ? TEXTS.nobody : TEXTS.cost
  const filled = {
    development: fill(card.development ?? TEXTS.development),
    discrimination: [own, ...((card.discrimination ?? []) as ModelDefinition['card']['discrimination'])],
    calibration: fill(card.calibration ?? TEXTS.calibration),
    cost: threshold === undefined ? '' : fill(threshold.cost ?? cost),
  }
  return modelWith(specification, termsWith(units, coefficients), intercept, filled, profile)
}

/** What a specification's texts may name in braces. */
function figureTexts(found: TextFigures): Readonly<Record<string, string>> {
  const { figures, noun, method, optimism, atThreshold } = found
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
    ...(optimism && {
      samples: whole(optimism.samples),
      correctedC: optimism.cStatistic.corrected.toFixed(4),
      correctedSlope: optimism.slope.corrected.toFixed(3),
    }),
    ...(atThreshold && {
      flagged: percent(atThreshold.flagged, 1),
      sensitivity: atThreshold.sensitivity.toFixed(3),
      specificity: atThreshold.specificity.toFixed(3),
      positiveValue: known(atThreshold.positiveValue, 3),
    }),
  }
}
