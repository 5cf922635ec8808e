/** `learn fit` without files: a specification and data become a model with its cases and its report. */
import { basename } from 'node:path'
import type { ModelCaseDefinition } from '../definition/cases.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor } from '../engine/assess.ts'
import { compileModel } from '../engine/score/model.ts'
import { makePlan } from '../engine/plan.ts'
import { GroupCollector } from './data/collect-groups.ts'
import { figuresOf } from './figures/figures.ts'
import type { Predictions } from './figures/predictions.ts'
import { subgroupsOf } from './figures/subgroups.ts'
import { ThresholdTable } from './figures/thresholds.ts'
import { type EstimateInput, type Estimates, estimate } from './fit/estimate.ts'
import { fitOptimism } from './fit/fit-optimism.ts'
import { type RoundedFit, predictRounded, roundFit } from './fit/rounded-fit.ts'
import { type CaseRecord, caseInputs, casesOf } from './model/cases.ts'
import { definitionOf } from './model/definition.ts'
import { inputDomains, profileOf } from './model/profile.ts'
import { fitReport, methodOf } from './report/fit-report.ts'
import { assumedInputs } from './validate-model.ts'
import { type Report, dataReport, modelReport } from './report/report.ts'

export interface FitModelInput extends EstimateInput {
  /** YYYY-MM-DD. */
  readonly made: string
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
  const collector = new GroupCollector(input.data.groups ?? [])
  const estimates = await estimate(input, (row, plan) => collector.add(plan, row.slots, row.groups))
  const { draft, design, intake, inputs } = estimates
  const rounded = roundFit(estimates.fit.coefficients, input.options.decimals)
  const predictions = predictRounded(design, rounded)
  const threshold = input.model.threshold?.risk
  const { bootstrap: samples, seed } = input.options
  const optimism = fitOptimism(estimates, 'fit', { samples, seed }, (done, of) =>
    input.onStage?.('resampling patients', done, of),
  )
  const figures = figuresOf(predictions, threshold)
  const noun = input.data.noun ?? 'rows'
  const table = new ThresholdTable(predictions)
  const texts = {
    figures,
    noun,
    method: methodOf(estimates),
    optimism,
    atThreshold: threshold === undefined ? undefined : table.at(threshold),
  }
  const { domains } = input.catalog
  const about = `Development data of ${input.model.id}@${input.model.version}`
  const profile = profileOf(
    about,
    design.rows,
    inputs,
    inputDomains(input.model.inputs, domains),
    predictions.risks,
    threshold,
  )
  const definition = definitionOf(draft, rounded, texts, profile)
  const assumed = new Map(assumedInputs(definition).map((name) => [name, inputs.get(name)?.missing ?? 0]))
  const report: Report = {
    kind: 'fit',
    made: input.made,
    model: modelReport(definition, threshold),
    data: dataReport(basename(input.path), noun, definition.card.outcome, design.rows, intake, assumed),
    figures,
    subgroups: subgroupsOf(predictions, collector.groupings(), threshold),
    fit: fitReport(estimates, input.options.clustered ?? false),
    ...(optimism === undefined ? {} : { optimism }),
  }
  const cases = casesOf(caseInputs(definition, domains, inputs), ownRisk(input, estimates, rounded))
  return { definition, cases, report, estimates, predictions }
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
