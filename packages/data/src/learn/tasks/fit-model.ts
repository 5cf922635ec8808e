/** `learn fit` without files: a specification and data become a model with its cases and its report. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { expit } from '@patient-risk/statistics'
import { type EstimateInput, type Estimates, estimate, roundedFit } from '../fit/estimate.ts'
import { fitOptimism } from '../figures/resampling.ts'
import { stageOf } from '../data/gather.ts'
import { modelWith, termsWith } from '../model/draft.ts'
import { evidence, fillerFor } from '../report/figure-texts.ts'
import { casesOf, profileOf } from '../model/seen-inputs.ts'
import { type MadeModel, buildReport } from '../report/report.ts'
import { splitFit } from '../figures/split.ts'
import texts from '../report/texts.json' with { type: 'json' }

const FITTED = texts.fitted

export interface FitModelInput extends EstimateInput {
  /** Validates each part of `splitBy` with a fit on the earlier parts, not on all others. */
  readonly isTemporal?: boolean | undefined
}

export async function fitModel(input: FitModelInput): Promise<MadeModel> {
  const { model, options, data } = input
  const { bootstrap: samples, seed } = options
  const estimates = await estimate(input)
  const { inputs, run, draft } = estimates
  const { rounded, predictions } = roundedFit(estimates, options.decimals)
  const [intercept = 0, ...coefficients] = rounded
  const threshold = model.threshold?.risk
  const onStep = stageOf(input, 'resampling patients')
  const optimism = fitOptimism(estimates, 'fit', { samples, seed, onStep })
  const grouping = estimates.attributes.split()
  const uncorrected = ['No bootstrap sample could be evaluated, or there are too many rows to resample.']
  const report = buildReport({ ...input, kind: 'fit', threshold }, estimates, predictions, {
    ...(grouping && { split: splitFit(estimates, grouping, input.isTemporal ?? false, threshold) }),
    ...(optimism && { optimism }),
    ...(optimism === undefined && samples !== 0 && { uncorrected }),
  })
  const about = `Development data of ${model.id}@${model.version}`
  const profile = profileOf(about, inputs, predictions.risks, threshold, data.ends)
  const fill = fillerFor(report)
  const flagsNobody = report.figures.thresholds.some((at) => at.threshold === threshold && at.flagged === 0)
  const words = flagsNobody ? { ...FITTED, cost: FITTED.nobody } : FITTED
  const slope = FITTED.slope + (optimism ? FITTED.corrected : '')
  const own = evidence(report, fill(FITTED.data), fill(slope))
  const terms = termsWith(draft.byTerm, coefficients)
  const kept = estimatesOf(estimates)
  const definition = modelWith(model, terms, intercept, words, { fill, own, profile, ...kept })
  // The risk by the fit itself: columns times coefficients, without the model that is tested against it.
  const cases = casesOf(inputs, (record) => {
    run.assess(record)
    return expit(run.points.reduce((sum, points, k) => sum + (coefficients[k] ?? 0) * points, intercept))
  })
  return { definition, cases, report }
}

/** More digits than the data determine are of no use to a reader. */
const COVARIANCE_DIGITS = 8

/** What the sampling interval of a risk needs. A penalty pulls estimates towards 0, so their covariance does not cover the truth. */
function estimatesOf({ draft, fit, ridge }: Estimates): Pick<ModelDefinition, 'estimates'> {
  if (ridge !== undefined) return {}
  const size = fit.coefficients.length
  const covariance = Array.from({ length: size }, (_, row) =>
    Array.from(fit.covariance.subarray(row * size, row * size + row + 1), (value) =>
      Number(value.toPrecision(COVARIANCE_DIGITS)),
    ),
  )
  return { estimates: { columns: [...draft.reader.terms], covariance } }
}
