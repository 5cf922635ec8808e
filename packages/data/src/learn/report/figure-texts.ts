/** The figures of a report as the texts of a model's card name them. */
import { DataError } from '../../tables/data-error.ts'
import type { Report } from './report.ts'
import texts from './texts.json' with { type: 'json' }
import type { Evidence } from '../model/draft.ts'
import { type Texts, decimal, fillIn, integer, percent } from './texts.ts'

export function fillerFor(report: Report): (text: string) => string {
  const figures = figureTexts(report)
  const names = Object.keys(figures).join(', ')
  return (text) =>
    fillIn(text, figures, (name) => {
      throw new DataError([`specification: there is no figure {${name}}; there are ${names}`])
    })
}

export function evidence({ figures }: Report, data: string, calibration: string): Evidence {
  const cStatistic = Number(figures.cStatistic.value.toFixed(4))
  return { data, cStatistic, brier: Number(figures.brier.value.toFixed(5)), calibration }
}

/** What texts may name in braces. */
export function figureTexts({ figures, data, model, fit, optimism, recalibration }: Report): Texts {
  const { calibration } = figures
  const at = figures.thresholds.find(({ threshold }) => threshold === model.threshold)
  return {
    rows: integer(figures.rows),
    noun: data.noun,
    method: fit?.method ?? texts.methods[recalibration?.method ?? 'none'],
    events: integer(figures.events),
    patients: integer(figures.patients),
    eventShare: percent(figures.events / figures.rows, 2),
    cStatistic: figures.cStatistic.value.toFixed(4),
    brier: figures.brier.value.toFixed(5),
    slope: decimal(calibration.slope.value, 3),
    ...(optimism && {
      samples: integer(optimism.samples),
      correctedC: optimism.cStatistic.corrected.toFixed(4),
      correctedSlope: optimism.slope.corrected.toFixed(3),
    }),
    ...(at && {
      flagged: percent(at.flagged, 1),
      sensitivity: at.sensitivity.toFixed(3),
      specificity: at.specificity.toFixed(3),
      positiveValue: decimal(at.positiveValue, 3),
    }),
    ...(recalibration && {
      id: model.id,
      from: recalibration.from,
      meanPredicted: calibration.meanPredicted.toFixed(4),
      observed: calibration.observed.toFixed(4),
      slopeBefore: recalibration.before.calibration.slope.value.toFixed(3),
    }),
  }
}
