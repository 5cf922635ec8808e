/** `learn recalibrate` without files: a model and local outcomes become a new version, compared with the old one. */
import { basename } from 'node:path'
import type { ModelCaseDefinition } from '../definition/cases.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor } from '../engine/assess.ts'
import { compileModel } from '../engine/score/model.ts'
import { makePlan } from '../engine/plan.ts'
import type { Sample } from './data/sample.ts'
import { type Figures, figuresOf } from './figures/figures.ts'
import { subgroupsOf } from './figures/subgroups.ts'
import { ThresholdTable } from './figures/thresholds.ts'
import { DEFAULT_SEED } from './fit/estimate.ts'
import { usualSamples } from './fit/fit-optimism.ts'
import { orRefuse } from './gather.ts'
import { caseInputs, casesOf } from './model/cases.ts'
import { inputDomains, profileOf } from './model/profile.ts'
import { recalibratedCard, recalibratedThreshold } from './recalibrate/card.ts'
import { type Choice, chooserFor, recalibrationOptimism } from './recalibrate/choose.ts'
import type { Method } from './recalibrate/closed-test.ts'
import { numbersOf } from './recalibrate/numbers.ts'
import { reclassify } from './recalibrate/reclassify.ts'
import { type SeenRows, seeRows } from './recalibrate/seen-rows.ts'
import { type RecalibrationReport, type Report, dataReport, modelReport } from './report/report.ts'
import type { ValidateInput } from './validate-model.ts'

export interface RecalibrateInput extends ValidateInput {
  readonly method: Method | 'auto'
  readonly version: string
}

export interface RecalibratedModel {
  readonly definition: ModelDefinition
  readonly cases: readonly ModelCaseDefinition[]
  readonly report: Report
}

export async function recalibrateModel(input: RecalibrateInput): Promise<RecalibratedModel> {
  const { model, version } = input
  const rows = await seeRows(input, model)
  const choose = chooserFor(model, input.method, rows)
  const choice = orRefuse(input.path, () => choose())
  const { after } = choice
  const optimism = recalibrationOptimism(
    choose,
    {
      samples: input.samples ?? usualSamples(after.risks.length, rows.compiled.terms.length),
      seed: input.seed ?? DEFAULT_SEED,
    },
    (done, of) => input.onStage?.('resampling patients', done, of),
  )
  const threshold = input.threshold ?? model.threshold?.risk
  const { risks } = after
  const noun = input.data.noun ?? 'rows'
  const report: Report = {
    kind: 'recalibration',
    made: input.made,
    model: modelReport({ ...model, version }, threshold),
    data: dataReport(basename(input.path), noun, model.card.outcome, risks.length, rows.intake, rows.assumed),
    figures: figuresOf(after, threshold),
    subgroups: subgroupsOf(after, rows.groupings, threshold),
    recalibration: recalibrationReport(
      input,
      rows,
      choice,
      figuresOf(rows.predictions, model.threshold?.risk),
    ),
    ...(optimism === undefined ? {} : { optimism }),
  }
  const domains = inputDomains(model.inputs, input.catalog.domains)
  const about = `Data on which ${model.id}@${version} was recalibrated`
  const definition: ModelDefinition = {
    ...model,
    version,
    ...choice.parts,
    card: recalibratedCard(model, report),
    ...recalibratedThreshold(
      model,
      threshold,
      threshold === undefined ? undefined : new ThresholdTable(after).at(threshold),
    ),
    profile: profileOf(about, risks.length, rows.inputs, domains, risks, threshold),
  }
  return { definition, cases: casesFor(input, definition, rows.inputs), report }
}

function recalibrationReport(
  { model, method, threshold }: RecalibrateInput,
  { predictions }: SeenRows,
  choice: Choice,
  before: Figures,
): RecalibrationReport {
  const was = model.threshold?.risk
  const is = threshold ?? was
  const { risks, outcomes } = predictions
  return {
    method: choice.method,
    chosenBy: method === 'auto' ? 'closed test' : 'user',
    from: `${model.id}@${model.version}`,
    test: choice.candidates.test,
    ...numbersOf(model, choice),
    before,
    ...(was === undefined || is === undefined
      ? {}
      : { reclassification: reclassify(risks, choice.after.risks, outcomes, was, is) }),
  }
}

/** Cases of a recalibrated model: records from its ranges, risks from the engine. */
function casesFor(
  input: RecalibrateInput,
  definition: ModelDefinition,
  samples: ReadonlyMap<string, { readonly sample: Sample }>,
): readonly ModelCaseDefinition[] {
  const plan = makePlan(input.catalog.knowledge, definition)
  const compiled = compileModel(definition, plan)
  const assessor = new Assessor(plan, compiled)
  const options = { today: input.today, reportUnknown: false, maxKeys: Infinity }
  const inputs = caseInputs(definition, input.catalog.domains, samples)
  return casesOf(inputs, (record) =>
    compiled.probability(assessor.assess({ idx: 0, ...record }, 0, options).score),
  )
}
