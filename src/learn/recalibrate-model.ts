/** `learn recalibrate` without files: a model and local outcomes become a new version, compared with the old one. */
import type { ModelDefinition } from '../definition/model.ts'
import type { TermDefinition } from '../definition/term.ts'
import type { Plan } from '../engine/plan.ts'
import { compileModel } from '../engine/score/model.ts'
import { roundRisk } from '../engine/score/round.ts'
import { DataError } from './data/data-error.ts'
import { estimateAt } from './figures/calibration.ts'
import { type Figures, figuresOf } from './figures/figures.ts'
import { type Predictions, type Times, eventsOf } from './figures/predictions.ts'
import { optimismOf } from './figures/resampling.ts'
import { thresholdTable } from './figures/thresholds.ts'
import { DEFAULT_SEED, usualSamples } from './fit/estimate.ts'
import { NotEstimable } from './fit/logistic.ts'
import { orRefuse, readerFor, scoreRows, stageOf } from './gather.ts'
import { recalibratedModel } from './model/made-model.ts'
import { casesOf, profileOf, seenInputs } from './model/seen-inputs.ts'
import { type Method, candidatesFor } from './recalibrate-candidates.ts'
import { type MadeModel, type RecalibrationReport, buildReport } from './report/report.ts'
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
  // The points of each term, row by row.
  const points: number[] = []
  const rows = await scoreRows(input, model, ({ slots }, { compiled }) => {
    for (const term of compiled.terms) points.push(term.points(slots.values, slots.states))
  })
  const { predictions } = rows
  if (input.allowSmallSample !== true) {
    const size = { rows: predictions.risks.length, events: eventsOf(predictions) }
    refuseSmallSample(input.path, size, input.method === 'refit' ? model.terms.length : 0)
  }
  const { plan } = readerFor(input, model)
  const choose = chooserFor(model, input.method, plan, predictions, Float64Array.from(points))
  const choice = orRefuse(input.path, () => choose())
  const { after } = choice
  const optimism = optimismOf((times) => ({ predictions: choose(times).after }), {
    of: 'recalibration',
    samples: input.samples ?? usualSamples(after.risks.length, model.terms.length),
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
  const inputs = seenInputs(model, input.catalog.domains, rows.gathered)
  const about = `Data on which ${model.id}@${version} was recalibrated`
  const profile = profileOf(about, inputs, after.risks, threshold)
  const definition = recalibratedModel(model, choice.parts, report, profile)
  // Records from the model's ranges, risks from the engine.
  const { compiled, assess } = readerFor(input, definition)
  const riskOf = (record: object): number => compiled.probability(assess({ ...record }).score)
  return { definition, cases: casesOf(inputs, riskOf), report }
}

/** Each call repeats the whole procedure, the closed test included, for a sample of patients. */
function chooserFor(
  model: ModelDefinition,
  wanted: Method | 'auto',
  plan: Plan,
  predictions: Predictions,
  points: Float64Array,
) {
  const terms = model.terms.length
  const { moving, fitOf, test: closedTest } = candidatesFor(model, predictions, points, terms)
  return (times?: Times) => {
    const test = closedTest(times)
    const method = wanted === 'auto' ? test.chosen : wanted
    const fit = method === 'none' ? undefined : fitOf(method, times)
    const weights = new Float64Array(terms).fill(1)
    if (method === 'refit') moving.forEach((term, k) => (weights[term] = fit?.coefficients[k + 1] ?? 1))
    const parts = changedParts(model, method, fit?.coefficients, weights, times !== undefined)
    // The new risks of the rows, from the points that their terms gave.
    const compiled = compileModel({ ...model, ...parts }, plan)
    const risks = predictions.risks.map((_risk, row) => {
      let score = 0
      for (let term = 0; term < terms; term++)
        score += (weights[term] as number) * (points[row * terms + term] as number)
      return compiled.probability(score)
    })
    return { method, test, fit, moving, parts, after: { ...predictions, risks } }
  }
}

/** The terms and the link of the model that a method gives. */
function changedParts(
  { terms, link }: ModelDefinition,
  method: Method,
  coefficients: Float64Array | undefined,
  weights: Float64Array,
  isSample: boolean,
): Pick<ModelDefinition, 'terms' | 'link'> {
  if (coefficients === undefined) return { terms, link }
  const [intercept = 0, second = 1] = coefficients
  if (method === 'refit') {
    const weighted = terms.map((term, index) => weightedTerm(term, weights[index] as number))
    return { terms: weighted, link: { kind: 'logistic', intercept } }
  }
  const slope = method === 'intercept' ? 1 : second
  if (!(slope > 0)) {
    if (isSample) throw new NotEstimable()
    throw new DataError([
      'the slope is not above 0: on these data higher risks do not go with more events, so recalibration cannot help; check the outcome and the inputs',
    ])
  }
  if (link.kind !== 'recalibrated')
    return { terms, link: { kind: 'recalibrated', of: link, intercept, slope } }
  // A link that was recalibrated before is recalibrated from its original, not wrapped twice.
  const shifted = { intercept: intercept + slope * link.intercept, slope: slope * link.slope }
  return { terms, link: { ...link, ...shifted } }
}

/** A term whose points all count so many times as much. Within the term their proportions stay. */
function weightedTerm(term: TermDefinition, by: number): TermDefinition {
  if (by === 1) return term
  switch (term.kind) {
    case 'linear':
    case 'square':
    case 'logarithm':
    case 'product':
      return { ...term, coefficient: term.coefficient * by }
    case 'flag':
    case 'absent':
      return { ...term, points: term.points * by }
    case 'category': {
      const points = Object.entries(term.points).map(([code, own]) => [code, own * by] as const)
      return { ...term, points: Object.fromEntries(points) }
    }
    case 'banded':
    case 'count':
      return { ...term, bands: term.bands.map((band) => ({ ...band, points: band.points * by })) }
    case 'spline':
      return { ...term, coefficients: term.coefficients.map((own) => own * by) }
  }
}

function recalibrationReport(
  { model, method: wanted, threshold }: RecalibrateInput,
  predictions: Predictions,
  { method, test, fit, moving, after }: ReturnType<ReturnType<typeof chooserFor>>,
  before: Figures,
): RecalibrationReport {
  const { risk: was, score: scoreBefore } = model.threshold ?? {}
  const is = threshold ?? was
  const [intercept = 0, slope = 1] = fit?.coefficients ?? []
  return {
    method,
    chosenBy: wanted === 'auto' ? 'closed test' : 'user',
    from: `${model.id}@${model.version}`,
    test,
    intercept,
    ...(method === 'slope' && { slope }),
    ...(method === 'refit' && {
      weights: moving.map((index, k) => {
        const term = model.terms[index] as TermDefinition
        const { value: weight, error } = estimateAt(fit, k + 1)
        return { term: term.label ?? ('field' in term ? term.field : term.kind), weight, error }
      }),
    }),
    before,
    ...(was !== undefined &&
      is !== undefined && {
        reclassification: reclassify(predictions, after.risks, was, is),
        flagged: {
          before: thresholdTable(predictions)(was).flagged,
          after: thresholdTable(after)(is).flagged,
          ...(scoreBefore === undefined ? {} : { scoreBefore }),
        },
      }),
  }
}

/** Counts those who move from No to Yes and back when one model takes the place of another. The rounded risk decides, as in service. */
export function reclassify(
  { risks, outcomes }: Predictions,
  after: Float64Array,
  thresholdBefore: number,
  thresholdAfter: number,
): NonNullable<RecalibrationReport['reclassification']> {
  const none = { stayYes: 0, stayNo: 0, toYes: 0, toNo: 0 }
  const [others, events] = [{ ...none }, { ...none }]
  risks.forEach((risk, row) => {
    const was = roundRisk(risk) >= thresholdBefore
    const is = roundRisk(after[row] as number) >= thresholdAfter
    const moves = outcomes[row] === 1 ? events : others
    moves[was ? (is ? 'stayYes' : 'toNo') : is ? 'toYes' : 'stayNo']++
  })
  return { thresholdBefore, thresholdAfter, events, others }
}
