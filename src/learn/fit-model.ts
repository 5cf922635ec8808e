/** `learn fit` without files: a specification and data become a model with its cases and its report. */
import { figuresOf } from './figures/figures.ts'
import { type Predictions, expit } from './figures/predictions.ts'
import { type EstimateInput, type Estimates, estimate, fitOptimism, roundFit } from './fit/estimate.ts'
import { readerFor, stageOf } from './gather.ts'
import { fittedModel } from './model/made-model.ts'
import { termsWith } from './model/draft.ts'
import { casesOf, profileOf, seenInputs } from './model/seen-inputs.ts'
import { type MadeModel, buildReport } from './report/report.ts'
import { refuseSmallSample } from './sample-size.ts'
import { splitFit } from './split.ts'

export interface FitModelInput extends EstimateInput {
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
  const inputs = seenInputs(model, catalog.domains, estimates.gathered)
  const rounded = roundFit(estimates, options.decimals)
  const { predictions } = rounded
  const threshold = model.threshold?.risk
  const optimism = fitOptimism(estimates, 'fit', {
    samples: options.bootstrap,
    seed: options.seed,
    onStep: stageOf(input, 'resampling patients'),
  })
  const uncorrected = ['No bootstrap sample could be evaluated, or there are too many rows to resample.']
  const more = {
    figures: figuresOf(predictions, threshold, true),
    ...splitFit(estimates, input.isTemporal ?? false, threshold),
    ...(optimism !== undefined ? { optimism } : options.bootstrap === 0 ? {} : { uncorrected }),
  }
  const report = buildReport({ ...input, kind: 'fit', threshold }, estimates, predictions, more, estimates)
  const about = `Development data of ${model.id}@${model.version}`
  const profile = profileOf(about, inputs, predictions.risks, threshold, data.ends)
  const terms = termsWith(estimates.draft.units, rounded.coefficients)
  const definition = fittedModel(model, terms, rounded.intercept, report, profile)
  // The fit's own risk of a record: its columns times their coefficients, without the model that is to be tested by it.
  const { compiled, assessor, assess } = readerFor(input, estimates.draft.reader)
  const { values, states } = assessor.slots
  const cases = casesOf(inputs, (record) => {
    assess(record)
    const parts = compiled.terms.map(
      (term, k) => (rounded.coefficients[k] ?? 0) * term.points(values, states),
    )
    return expit(parts.reduce((sum, part) => sum + part, rounded.intercept))
  })
  return { definition, cases, report, estimates, predictions }
}
