/** `learn fit` without files: a specification and data become a model with its cases and its report. */
import { figuresOf } from './figures/figures.ts'
import { type Predictions, expit } from './figures/predictions.ts'
import { thresholdTable } from './figures/thresholds.ts'
import {
  type EstimateInput,
  type Estimates,
  type RoundedFit,
  estimate,
  fitOptimism,
  roundFit,
} from './fit/estimate.ts'
import { readerFor, stageOf } from './gather.ts'
import { type CaseRecord, casesOf } from './model/cases.ts'
import { definitionOf } from './model/definition.ts'
import { profileOf } from './model/profile.ts'
import { buildReport, fitReport, methodOf } from './report/build-report.ts'
import type { MadeModel } from './report/report.ts'
import { refuseSmallSample } from './sample-size.ts'
import { splitFit } from './split.ts'

export interface FitModelInput extends EstimateInput {
  /** YYYY-MM-DD. */
  readonly made: string
  /** Fits although there are fewer events than the stated minimum. */
  readonly allowSmallSample?: boolean
  /** Validates each part of `splitBy` with a fit on the earlier parts, not on all others. */
  readonly isTemporal?: boolean
}

export interface FittedModel extends MadeModel {
  readonly estimates: Estimates
  /** The fit's own predictions for the rows that it used, in their order. */
  readonly predictions: Predictions
}

export async function fitModel(input: FitModelInput): Promise<FittedModel> {
  const { model, options, data, catalog } = input
  const estimates = await estimate(input, (design) => {
    if (input.allowSmallSample === true) return
    refuseSmallSample(input.path, design, options.ridge === undefined ? design.columns.length : 0)
  })
  const { inputs } = estimates.gathered
  const rounded = roundFit(estimates, options.decimals)
  const { predictions } = rounded
  const threshold = model.threshold?.risk
  const optimism = fitOptimism(estimates, 'fit', {
    samples: options.bootstrap,
    seed: options.seed,
    onStep: stageOf(input, 'resampling patients'),
  })
  const figures = figuresOf(predictions, threshold, true)
  const texts = {
    figures,
    noun: data.noun ?? 'rows',
    method: methodOf(estimates),
    optimism,
    atThreshold: threshold === undefined ? undefined : thresholdTable(predictions)(threshold),
  }
  const about = `Development data of ${model.id}@${model.version}`
  const profile = profileOf(about, model, catalog.domains, inputs, predictions.risks, threshold, data.ends)
  const definition = definitionOf(estimates.draft, rounded, texts, profile)
  const uncorrected = ['No bootstrap sample could be evaluated, or there are too many rows to resample.']
  const report = buildReport(
    { ...input, kind: 'fit', model: definition, threshold },
    estimates,
    predictions,
    {
      figures,
      ...splitFit(estimates, input.isTemporal ?? false, threshold),
      fit: fitReport(estimates),
      ...(optimism !== undefined ? { optimism } : options.bootstrap === 0 ? {} : { uncorrected }),
    },
  )
  const cases = casesOf(definition, catalog.domains, inputs, ownRisk(input, estimates, rounded))
  return { definition, cases, report, estimates, predictions }
}

/** The fit's own risk of a record: the columns of the fit times its coefficients. */
function ownRisk(
  input: FitModelInput,
  { draft }: Estimates,
  { intercept, coefficients }: RoundedFit,
): (record: CaseRecord) => number {
  const { compiled, assessor, assess } = readerFor(input, draft.reader)
  const { values, states } = assessor.slots
  return (record) => {
    assess(record)
    const eta = compiled.terms.reduce(
      (sum, term, k) => sum + (coefficients[k] ?? 0) * term.points(values, states),
      intercept,
    )
    return expit(eta)
  }
}
