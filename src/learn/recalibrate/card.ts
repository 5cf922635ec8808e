/** What a recalibrated model's card says: everything the original said, and what was changed, on which data. */
import type { CardDefinition, ModelDefinition } from '../../definition/model.ts'
import type { ThresholdFigures } from '../figures/thresholds.ts'
import { known, percent, whole } from '../model/texts.ts'
import type { Report } from '../report/report.ts'

const METHODS = {
  none: 'left as it is',
  intercept: 'recalibrated: its intercept was estimated again',
  slope: 'recalibrated: intercept and slope of its log odds were estimated again',
  refit: 'refitted: the intercept and the weight of every term were estimated again',
} as const

export function recalibratedCard(model: ModelDefinition, report: Report): CardDefinition {
  const { figures, data, recalibration } = report
  const method = METHODS[recalibration?.method ?? 'none']
  const from = `${model.id}@${model.version}`
  const rows = `${whole(figures.rows)} ${data.noun}, ${whole(figures.events)} events`
  const { cStatistic, brier, calibration } = figures
  return {
    ...model.card,
    development: `${model.card.development} From ${from}, ${method} on ${rows} (${percent(figures.events / figures.rows, 2)}).`,
    discrimination: [
      {
        data: `Recalibration data: ${rows}`,
        cStatistic: Number(cStatistic.value.toFixed(4)),
        brier: Number(brier.value.toFixed(5)),
        calibration: `Slope ${calibration.slope.value.toFixed(3)} after recalibration on the same data; ${(recalibration?.before.calibration.slope.value ?? 1).toFixed(3)} before.`,
      },
      ...model.card.discrimination.map((entry) => ({ ...entry, data: `${from}: ${entry.data}` })),
    ],
    calibration: `After recalibration the mean prediction is ${calibration.meanPredicted.toFixed(4)} against ${calibration.observed.toFixed(4)} observed, on the data that it was recalibrated on.`,
    limits: [
      ...model.card.limits,
      'Recalibrated on local data; its calibration on other patients, or later, is not known.',
    ],
  }
}

/** A threshold on the risk alone: a score that stood for it in the original no longer does. */
export function recalibratedThreshold(
  model: ModelDefinition,
  threshold: number | undefined,
  figures: ThresholdFigures | undefined,
): Pick<ModelDefinition, 'threshold'> {
  if (threshold === undefined || figures === undefined) return {}
  return {
    threshold: {
      risk: threshold,
      published: false,
      note: `The risk at which ${model.id} answers Yes after recalibration.${model.threshold === undefined ? '' : ` Before: ${model.threshold.note}`}`,
      cost: `On the recalibration data it flags ${percent(figures.flagged, 1)}; sensitivity ${figures.sensitivity.toFixed(3)}, specificity ${figures.specificity.toFixed(3)}, predictive value ${known(figures.positiveValue, 3)}.`,
    },
  }
}
