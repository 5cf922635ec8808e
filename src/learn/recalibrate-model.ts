/** `learn recalibrate` without files: a model and local outcomes become a new version, compared with the old one. */
import type { CardDefinition, ModelDefinition } from '../definition/model.ts'
import type { TermDefinition } from '../definition/term.ts'
import { type Figures, figuresOf } from './figures/figures.ts'
import { type Predictions, eventsOf } from './figures/predictions.ts'
import { optimismOf } from './figures/resampling.ts'
import { type ThresholdFigures, thresholdTable } from './figures/thresholds.ts'
import { DEFAULT_SEED, usualSamples } from './fit/estimate.ts'
import { orRefuse, readerFor, stageOf } from './gather.ts'
import { casesOf } from './model/cases.ts'
import { profileOf } from './model/profile.ts'
import { known, percent, whole } from './model/texts.ts'
import type { Method } from './recalibrate/candidates.ts'
import { type Choice, chooserFor, reclassify, seeRows } from './recalibrate/choose.ts'
import { buildReport } from './report/build-report.ts'
import type { MadeModel, RecalibrationReport, Report } from './report/report.ts'
import { refuseSmallSample } from './sample-size.ts'
import type { ValidateInput } from './validate-model.ts'

export interface RecalibrateInput extends ValidateInput {
  readonly method: Method | 'auto'
  readonly version: string
  /** Recalibrates although there are fewer events than the stated minimum. */
  readonly allowSmallSample?: boolean
}

export async function recalibrateModel(input: RecalibrateInput): Promise<MadeModel> {
  const { model, version } = input
  const rows = await seeRows(input, model)
  const { predictions, gathered } = rows
  if (input.allowSmallSample !== true) {
    const size = { rows: predictions.risks.length, events: eventsOf(predictions) }
    refuseSmallSample(input.path, size, input.method === 'refit' ? rows.compiled.terms.length : 0)
  }
  const choose = chooserFor(model, input.method, rows)
  const choice = orRefuse(input.path, () => choose())
  const { after } = choice
  const optimism = optimismOf((times) => ({ predictions: choose(times).after }), {
    of: 'recalibration',
    samples: input.samples ?? usualSamples(after.risks.length, rows.compiled.terms.length),
    seed: input.seed ?? DEFAULT_SEED,
    onStep: stageOf(input, 'resampling patients'),
  })
  const threshold = input.threshold ?? model.threshold?.risk
  const before = orRefuse(input.path, () => figuresOf(predictions, model.threshold?.risk))
  const report = buildReport(
    { ...input, kind: 'recalibration', model: { ...model, version }, threshold },
    rows,
    after,
    {
      figures: orRefuse(input.path, () => figuresOf(after, threshold)),
      recalibration: recalibrationReport(input, predictions, choice, before),
      ...(optimism === undefined ? {} : { optimism }),
    },
  )
  const { domains } = input.catalog
  const about = `Data on which ${model.id}@${version} was recalibrated`
  const definition: ModelDefinition = {
    ...model,
    version,
    ...choice.parts,
    card: recalibratedCard(model, report),
    ...(threshold === undefined ? {} : recalibratedThreshold(model, thresholdTable(after)(threshold))),
    profile: profileOf(about, model, domains, gathered.inputs, after.risks, threshold),
  }
  // Records from the model's ranges, risks from the engine.
  const { compiled, assess } = readerFor(input, definition)
  const riskOf = (record: object): number => compiled.probability(assess({ ...record }).score)
  return { definition, cases: casesOf(definition, domains, gathered.inputs, riskOf), report }
}

function recalibrationReport(
  { model, method, threshold }: RecalibrateInput,
  predictions: Predictions,
  choice: Choice,
  before: Figures,
): RecalibrationReport {
  const { risk: was, score: scoreBefore } = model.threshold ?? {}
  const is = threshold ?? was
  return {
    method: choice.method,
    chosenBy: method === 'auto' ? 'closed test' : 'user',
    from: `${model.id}@${model.version}`,
    test: choice.test,
    ...numbersOf(model, choice),
    before,
    ...(was === undefined || is === undefined
      ? {}
      : {
          reclassification: reclassify(predictions, choice.after.risks, was, is),
          flagged: {
            before: thresholdTable(predictions)(was).flagged,
            after: thresholdTable(choice.after)(is).flagged,
            ...(scoreBefore === undefined ? {} : { scoreBefore }),
          },
        }),
  }
}

/** The numbers that the recalibration found. */
function numbersOf(
  model: ModelDefinition,
  { method, fit, moving }: Choice,
): Pick<RecalibrationReport, 'intercept' | 'slope' | 'weights'> {
  if (fit === undefined) return { intercept: 0 }
  const { coefficients, covariance } = fit
  const size = coefficients.length
  const [intercept = 0, slope = 1] = coefficients
  if (method !== 'refit') return method === 'slope' ? { intercept, slope } : { intercept }
  return {
    intercept,
    weights: moving.map((index, k) => {
      const term = model.terms[index] as TermDefinition
      return {
        term: term.label ?? ('field' in term ? term.field : term.kind),
        weight: coefficients[k + 1] as number,
        error: Math.sqrt(covariance[(k + 1) * size + k + 1] as number),
      }
    }),
  }
}

const METHODS = {
  none: 'left as it is',
  intercept: 'recalibrated: its intercept was estimated again',
  slope: 'recalibrated: intercept and slope of its log odds were estimated again',
  refit: 'refitted: the intercept and the weight of every term were estimated again',
} as const

/** Everything the original card said, and what was changed, on which data. */
function recalibratedCard(model: ModelDefinition, report: Report): CardDefinition {
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
function recalibratedThreshold(
  model: ModelDefinition,
  figures: ThresholdFigures,
): Pick<ModelDefinition, 'threshold'> {
  return {
    threshold: {
      risk: figures.threshold,
      published: false,
      note: `The risk at which ${model.id} answers Yes after recalibration.${model.threshold === undefined ? '' : ` Before: ${model.threshold.note}`}`,
      cost: `On the recalibration data it flags ${percent(figures.flagged, 1)}; sensitivity ${figures.sensitivity.toFixed(3)}, specificity ${figures.specificity.toFixed(3)}, predictive value ${known(figures.positiveValue, 3)}.`,
    },
  }
}
