/** `learn recalibrate` without files: a model and local outcomes become a new version, compared with the old one. */
import type { ModelCaseDefinition } from '../definition/cases.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor } from '../engine/assess.ts'
import { compileModel } from '../engine/score/model.ts'
import { makePlan } from '../engine/plan.ts'
import { type Figures, figuresOf } from './figures/figures.ts'
import { eventsOf } from './figures/predictions.ts'
import { ThresholdTable } from './figures/thresholds.ts'
import { DEFAULT_SEED } from './fit/estimate.ts'
import { usualSamples } from './fit/fit-optimism.ts'
import { orRefuse } from './gather.ts'
import { caseInputs, casesOf } from './model/cases.ts'
import { inputDomains, profileOf } from './model/profile.ts'
import type { Method } from './recalibrate/candidates.ts'
import { recalibratedCard, recalibratedThreshold } from './recalibrate/card.ts'
import { type Choice, chooserFor, recalibrationOptimism } from './recalibrate/choose.ts'
import { reclassify } from './recalibrate/reclassify.ts'
import { type SeenRows, seeRows } from './recalibrate/seen-rows.ts'
import { dataReport, modelReport, partsReport, withWarnings } from './report/build-report.ts'
import type { RecalibrationReport, Report } from './report/report.ts'
import { refuseSmallSample } from './sample-size.ts'
import type { ValidateInput } from './validate-model.ts'

export interface RecalibrateInput extends ValidateInput {
  readonly method: Method | 'auto'
  readonly version: string
  /** Recalibrates although there are fewer events than the stated minimum. */
  readonly allowSmallSample?: boolean
}

export interface RecalibratedModel {
  readonly definition: ModelDefinition
  readonly cases: readonly ModelCaseDefinition[]
  readonly report: Report
}

export async function recalibrateModel(input: RecalibrateInput): Promise<RecalibratedModel> {
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
  const before = orRefuse(input.path, () => figuresOf(predictions, model.threshold?.risk))
  const report = withWarnings({
    kind: 'recalibration',
    made: input.made,
    model: modelReport({ ...model, version }, threshold),
    data: dataReport(input, model, rows),
    figures: orRefuse(input.path, () => figuresOf(after, threshold)),
    ...partsReport(rows, after, threshold),
    recalibration: recalibrationReport(input, rows, choice, before),
    ...(optimism === undefined ? {} : { optimism }),
  })
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
    profile: profileOf(about, risks.length, gathered.inputs, domains, risks, threshold),
  }
  return { definition, cases: casesFor(input, definition, rows), report }
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
  const scoreBefore = model.threshold?.score
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
          reclassification: reclassify(risks, choice.after.risks, outcomes, was, is),
          flagged: {
            before: new ThresholdTable(predictions).at(was).flagged,
            after: new ThresholdTable(choice.after).at(is).flagged,
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
      const term = model.terms[index]
      return {
        term: term?.label ?? (term !== undefined && 'field' in term ? term.field : (term?.kind ?? '')),
        weight: coefficients[k + 1] as number,
        error: Math.sqrt(covariance[(k + 1) * size + k + 1] as number),
      }
    }),
  }
}

/** Cases of a recalibrated model: records from its ranges, risks from the engine. */
function casesFor(
  input: RecalibrateInput,
  definition: ModelDefinition,
  { gathered }: SeenRows,
): readonly ModelCaseDefinition[] {
  const plan = makePlan(input.catalog.knowledge, definition)
  const compiled = compileModel(definition, plan)
  const assessor = new Assessor(plan, compiled)
  const options = { today: input.today, reportUnknown: false, maxKeys: Infinity }
  const inputs = caseInputs(definition, input.catalog.domains, gathered.inputs)
  return casesOf(inputs, (record) =>
    compiled.probability(assessor.assess({ idx: 0, ...record }, 0, options).score),
  )
}
