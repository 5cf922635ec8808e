/** `learn recalibrate` without files: a model and local outcomes become a new version, compared with the old one. */
import { basename } from 'node:path'
import type { ModelCaseDefinition } from '../definition/cases.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { STATE } from '../engine/slots.ts'
import { compileModel } from '../engine/model.ts'
import { type Plan, makePlan } from '../engine/plan.ts'
import { Assessor } from '../engine/assess.ts'
import { Sample } from './data/sample.ts'
import { figuresOf } from './figures/figures.ts'
import { subgroupsOf } from './figures/subgroups.ts'
import { ThresholdTable } from './figures/thresholds.ts'
import { caseInputs, casesOf } from './model/cases.ts'
import { inputDomains, profileOf } from './model/profile.ts'
import { recalibratedCard, recalibratedThreshold } from './recalibrate/card.ts'
import { type Candidates, candidatesFor, termWeights } from './recalibrate/candidates.ts'
import { changedParts } from './recalibrate/changed-parts.ts'
import type { Method } from './recalibrate/closed-test.ts'
import { reclassify } from './recalibrate/reclassify.ts'
import { type RecalibrationReport, type Report, dataReport } from './report/report.ts'
import { type ValidateInput, scoreRows } from './validate-model.ts'

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
  const { model } = input
  const plan = makePlan(input.catalog.knowledge, model)
  const compiled = compileModel(model, plan)
  const points: number[] = []
  const inputs = new Map(
    Object.keys(model.inputs).map((name) => [name, { sample: new Sample(), missing: 0 }]),
  )
  const scored = await scoreRows(input, model, ({ slots }) => {
    for (const term of compiled.terms) points.push(term.points(slots.values, slots.states))
    for (const [name, seen] of inputs) {
      const slot = plan.slotByName.get(name) ?? -1
      if (slots.stateOf(slot) === STATE.assumed) seen.missing++
      else seen.sample.add(slots.valueOf(slot))
    }
  })
  const { predictions } = scored
  const candidates = candidatesFor(predictions, Float64Array.from(points), compiled.terms.length)
  const method = input.method === 'auto' ? candidates.test.chosen : input.method
  const changed = { ...model, version: input.version, ...changedParts(model, method, candidates) }
  const weights = termWeights(method, candidates, compiled.terms.length)
  const after = { ...predictions, risks: risksAfter(changed, plan, Float64Array.from(points), weights) }
  const before = model.threshold?.risk
  const threshold = input.threshold ?? before
  const figures = figuresOf(after, threshold)
  const report: Report = {
    kind: 'recalibration',
    made: input.made,
    model: {
      id: model.id,
      version: input.version,
      title: model.title,
      ...(threshold === undefined ? {} : { threshold }),
    },
    data: dataReport(
      basename(input.path),
      input.data.noun ?? 'rows',
      model.card.outcome,
      after.risks.length,
      scored.intake,
    ),
    figures,
    subgroups: subgroupsOf(after, scored.groupings, threshold),
    recalibration: {
      method,
      chosenBy: input.method === 'auto' ? 'closed test' : 'user',
      from: `${model.id}@${model.version}`,
      test: candidates.test,
      ...numbersOf(model, method, candidates),
      before: figuresOf(predictions, before),
      ...(before === undefined || threshold === undefined
        ? {}
        : {
            reclassification: reclassify(
              predictions.risks,
              after.risks,
              predictions.outcomes,
              before,
              threshold,
            ),
          }),
    },
  }
  const atThreshold = threshold === undefined ? undefined : new ThresholdTable(after).at(threshold)
  const about = `Data on which ${model.id}@${input.version} was recalibrated`
  const definition: ModelDefinition = {
    ...changed,
    card: recalibratedCard(model, report),
    ...recalibratedThreshold(model, threshold, atThreshold),
    profile: profileOf(
      about,
      after.risks.length,
      inputs,
      inputDomains(model.inputs, input.catalog.domains),
      after.risks,
      threshold,
    ),
  }
  return { definition, cases: casesFor(input, definition, inputs), report }
}

/** The new risks of the rows, from the points that their terms gave. */
function risksAfter(
  model: ModelDefinition,
  plan: Plan,
  points: Float64Array,
  weights: Float64Array,
): Float64Array {
  const width = weights.length
  const compiled = compileModel(model, plan)
  return Float64Array.from({ length: points.length / width }, (_each, row) => {
    let score = 0
    for (let term = 0; term < width; term++) {
      score += (weights[term] as number) * (points[row * width + term] as number)
    }
    return compiled.probability(score)
  })
}

function numbersOf(
  model: ModelDefinition,
  method: Method,
  { intercept, slope, refit, moving }: Candidates,
): Pick<RecalibrationReport, 'intercept' | 'slope' | 'weights'> {
  if (method === 'none') return { intercept: 0 }
  if (method === 'intercept') return { intercept: intercept.coefficients[0] as number }
  if (method === 'slope') {
    return { intercept: slope.coefficients[0] as number, slope: slope.coefficients[1] as number }
  }
  const size = refit.coefficients.length
  return {
    intercept: refit.coefficients[0] as number,
    weights: moving.map((index, k) => {
      const term = model.terms[index]
      return {
        term: term?.label ?? (term?.kind === 'count' ? 'count' : (term?.field ?? '')),
        weight: refit.coefficients[k + 1] as number,
        error: Math.sqrt(refit.covariance[(k + 1) * size + k + 1] as number),
      }
    }),
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
