/** The file of a model that was fitted or recalibrated: the words that were there, with the figures of its report. */
import type { ModelDefinition, ProfileDefinition } from '../../definition/model.ts'
import type { TermDefinition } from '../../definition/term.ts'
import { DataError } from '../data/data-error.ts'
import type { Report } from '../report/report.ts'
import type { ModelSpecification } from '../specification.ts'
import texts from '../texts.json' with { type: 'json' }
import { type Evidence, modelWith } from './draft.ts'
import { type Texts, fillIn, known, percent, whole } from './texts.ts'

const { fitted: FITTED, recalibrated: RECALIBRATED, methods: METHODS } = texts

export function fittedModel(
  specification: ModelSpecification,
  terms: readonly TermDefinition[],
  intercept: number,
  report: Report,
  profile: ProfileDefinition,
): ModelDefinition {
  const fill = fillerFor(report)
  const slope = FITTED.slope + (report.optimism === undefined ? '' : FITTED.corrected)
  const isNobody = report.figures.thresholds.some(
    ({ threshold, flagged }) => threshold === report.model.threshold && flagged === 0,
  )
  const words = isNobody ? { ...FITTED, cost: FITTED.nobody } : FITTED
  const own = evidence(report, fill(FITTED.data), fill(slope))
  return modelWith(specification, terms, intercept, words, { fill, own, profile })
}

/** Everything the original said, and what was changed, on which data. */
export function recalibratedModel(
  model: ModelDefinition,
  parts: Pick<ModelDefinition, 'terms' | 'link'>,
  report: Report,
  profile: ProfileDefinition,
): ModelDefinition {
  const { id, card, threshold } = model
  const fill = fillerFor(report)
  const before = `${id}@${model.version}`
  const { version, threshold: risk } = report.model
  return {
    ...model,
    version,
    ...parts,
    card: {
      ...card,
      development: card.development + fill(RECALIBRATED.development),
      discrimination: [
        evidence(report, fill(RECALIBRATED.data), fill(RECALIBRATED.slope)),
        ...card.discrimination.map((entry) => ({ ...entry, data: `${before}: ${entry.data}` })),
      ],
      calibration: fill(RECALIBRATED.calibration),
      limits: [...card.limits, RECALIBRATED.limit],
    },
    // On the risk alone: a score that stood for it in the original no longer does.
    ...(risk !== undefined && {
      threshold: {
        risk,
        published: false,
        note: fill(RECALIBRATED.note) + (threshold === undefined ? '' : ` Before: ${threshold.note}`),
        cost: fill(RECALIBRATED.cost),
      },
    }),
    profile,
  }
}

function fillerFor(report: Report): (text: string) => string {
  const figures = figureTexts(report)
  const names = Object.keys(figures).join(', ')
  return (text) =>
    fillIn(text, figures, (name) => {
      throw new DataError([`specification: there is no figure {${name}}; there are ${names}`])
    })
}

function evidence({ figures }: Report, data: string, calibration: string): Evidence {
  const cStatistic = Number(figures.cStatistic.value.toFixed(4))
  return { data, cStatistic, brier: Number(figures.brier.value.toFixed(5)), calibration }
}

/** What texts may name in braces. */
export function figureTexts({ figures, data, model, fit, optimism, recalibration }: Report): Texts {
  const { calibration } = figures
  const at = figures.thresholds.find(({ threshold }) => threshold === model.threshold)
  return {
    rows: whole(figures.rows),
    noun: data.noun,
    method: fit?.method ?? METHODS[recalibration?.method ?? 'none'],
    events: whole(figures.events),
    patients: whole(figures.patients),
    eventShare: percent(figures.events / figures.rows, 2),
    cStatistic: figures.cStatistic.value.toFixed(4),
    brier: figures.brier.value.toFixed(5),
    slope: known(calibration.slope.value, 3),
    ...(optimism && {
      samples: whole(optimism.samples),
      correctedC: optimism.cStatistic.corrected.toFixed(4),
      correctedSlope: optimism.slope.corrected.toFixed(3),
    }),
    ...(at && {
      flagged: percent(at.flagged, 1),
      sensitivity: at.sensitivity.toFixed(3),
      specificity: at.specificity.toFixed(3),
      positiveValue: known(at.positiveValue, 3),
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
