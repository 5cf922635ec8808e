/** `learn fit` without files: a specification and data become a model with its cases and its report. */
import type { ModelCaseDefinition } from '../definition/cases.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor } from '../engine/assess.ts'
import { compileModel } from '../engine/score/model.ts'
import { makePlan } from '../engine/plan.ts'
import { figuresOf } from './figures/figures.ts'
import type { Predictions } from './figures/predictions.ts'
import { ThresholdTable } from './figures/thresholds.ts'
import { type EstimateInput, type Estimates, estimate } from './fit/estimate.ts'
import { fitOptimism } from './fit/fit-optimism.ts'
import { type RoundedFit, predictRounded, roundFit } from './fit/rounded-fit.ts'
import { type CaseRecord, caseInputs, casesOf } from './model/cases.ts'
import { definitionOf } from './model/definition.ts'
import { inputDomains, profileOf } from './model/profile.ts'
import { fitReport, methodOf } from './report/fit-report.ts'
import { dataReport, modelReport, partsReport, withWarnings } from './report/build-report.ts'
import type { Report } from './report/report.ts'
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

export interface FittedModel {
  readonly definition: ModelDefinition
  readonly cases: readonly ModelCaseDefinition[]
  readonly report: Report
  readonly estimates: Estimates
  /** The fit's own predictions for the rows that it used, in their order. */
  readonly predictions: Predictions
}

export async function fitModel(input: FitModelInput): Promise<FittedModel> {
  const estimates = await estimate(input, (design) => {
    if (input.allowSmallSample === true) return
    refuseSmallSample(input.path, design, input.options.ridge === undefined ? design.columns.length : 0)
  })
  const { draft, design, gathered } = estimates
  const { inputs } = gathered
  const rounded = roundFit(estimates.fit.coefficients, input.options.decimals)
  const predictions = predictRounded(design, rounded)
  const threshold = input.model.threshold?.risk
  const { bootstrap: samples, seed } = input.options
  const optimism = fitOptimism(estimates, 'fit', { samples, seed }, (done, of) =>
    input.onStage?.('resampling patients', done, of),
  )
  const figures = figuresOf(predictions, threshold, true)
  const table = new ThresholdTable(predictions)
  const texts = {
    figures,
    noun: input.data.noun ?? 'rows',
    method: methodOf(estimates),
    optimism,
    atThreshold: threshold === undefined ? undefined : table.at(threshold),
  }
  const { domains } = input.catalog
  const about = `Development data of ${input.model.id}@${input.model.version}`
  const domainOf = inputDomains(input.model.inputs, domains)
  const profile = profileOf(about, design.rows, inputs, domainOf, predictions.risks, threshold)
  const definition = definitionOf(draft, rounded, texts, profile)
  const report = withWarnings({
    kind: 'fit',
    made: input.made,
    model: modelReport(definition, threshold),
    data: dataReport(input, definition, { gathered, predictions }),
    figures,
    ...partsReport(estimates, predictions, threshold),
    ...splitFit(estimates, input.isTemporal ?? false, threshold),
    fit: fitReport(estimates),
    ...(optimism === undefined ? whyUncorrected(samples) : { optimism }),
  })
  const cases = casesOf(caseInputs(definition, domains, inputs), ownRisk(input, estimates, rounded))
  return { definition, cases, report, estimates, predictions }
}

function whyUncorrected(samples: number | undefined): Pick<Report, 'uncorrected'> {
  return samples === 0
    ? {}
    : { uncorrected: ['No bootstrap sample could be evaluated, or there are too many rows to resample.'] }
}

/** The fit's own risk of a record: the columns of the fit times its coefficients. */
function ownRisk(
  input: FitModelInput,
  { draft }: Estimates,
  { intercept, coefficients }: RoundedFit,
): (record: CaseRecord) => number {
  const plan = makePlan(input.catalog.knowledge, draft.reader)
  const compiled = compileModel(draft.reader, plan)
  const assessor = new Assessor(plan, compiled)
  return (record) => {
    assessor.assess({ idx: 0, ...record }, 0, { today: input.today, reportUnknown: false, maxKeys: Infinity })
    const { values, states } = assessor.slots
    const eta = compiled.terms.reduce(
      (sum, term, k) => sum + (coefficients[k] ?? 0) * term.points(values, states),
      intercept,
    )
    return 1 / (1 + Math.exp(-eta))
  }
}
