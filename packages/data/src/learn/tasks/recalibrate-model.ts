/** `learn recalibrate` without files: a model and local outcomes become a new version, compared with the old one. */
import type { ModelDefinition, ProfileDefinition, TermDefinition } from 'patient-risk-engine/definition'
import { compileModel } from 'patient-risk-engine'
import { DataError } from '../../tables/data-error.ts'
import { estimateAt, type Predictions, type Times, NotEstimable } from '@patient-risk/statistics'
import { figuresOf, orRefuse } from '../figures/figures.ts'
import { optimismOf } from '../figures/resampling.ts'
import { reclassify, thresholdTable } from '../figures/thresholds.ts'
import type { EstimateInput } from '../fit/estimate.ts'
import { modelRunFor, stageOf } from '../data/gather.ts'
import { scoreRows } from '../data/rows.ts'
import { withPoints } from '../model/draft.ts'
import { evidence, fillerFor } from '../report/figure-texts.ts'
import { casesOf, profileOf } from '../model/seen-inputs.ts'
import { type Candidates, type Method, candidatesFor, hasTrees } from '../fit/recalibrate-candidates.ts'
import { type MadeModel, type RecalibrationReport, buildReport } from '../report/report.ts'
import { refuseSmallSample } from '../fit/sample-size.ts'
import texts from '../report/texts.json' with { type: 'json' }
import type { ValidateInput } from './validate-model.ts'

const RECALIBRATED = texts.recalibrated
/** With fewer, the level of the closed test was not shown to hold (`test/simulate/closed-test.ts`). */
const EVENTS_EACH = 4

export interface RecalibrateInput extends ValidateInput, Pick<EstimateInput, 'allowSmallSample'> {
  readonly method: Method | 'auto'
  readonly version: string
}

export async function recalibrateModel(input: RecalibrateInput): Promise<MadeModel> {
  const { model, version, path, samples, seed } = input
  if (input.method === 'refit' && hasTrees(model)) throw new DataError([NO_REFIT])
  // The points of each term, row by row.
  const points: number[] = []
  const rows = await scoreRows(input, model, (_row, run) => points.push(...run.points))
  const { predictions, inputs } = rows
  const columns = model.terms.length
  const candidates = candidatesFor(model, predictions, Float64Array.from(points), columns)
  const { estimates, moving } = candidates
  const needed = { auto: estimates, refit: moving.length + 1, slope: 2, intercept: 1, none: 0 }
  if (input.allowSmallSample !== true) refuseSmallSample(path, predictions, needed[input.method], EVENTS_EACH)
  const choose = chooserFor(input, predictions, Float64Array.from(points), candidates)
  const choice = orRefuse(path, () => choose())
  const own = choice.after
  const onStep = stageOf(input, 'resampling patients')
  const procedure = { of: 'recalibration', own, columns, samples, seed, onStep } as const
  const optimism = optimismOf(procedure, (times) => ({ predictions: choose(times).after }))
  const threshold = input.threshold ?? model.threshold?.risk
  const about = { ...input, kind: 'recalibration' as const, model: { ...model, version }, threshold }
  const report = buildReport(about, rows, own, {
    recalibration: { ...recalibrationReport(input, predictions, choice), power: candidates.power() },
    ...(optimism && { optimism }),
  })
  const data = `Data on which ${model.id}@${version} was recalibrated`
  const profile = profileOf(data, inputs, own.risks, threshold)
  const definition = recalibratedModel(model, choice.parts, report, profile)
  // Records from the model's ranges, risks from the engine.
  const { compiled, assess } = modelRunFor(input, definition)
  const cases = casesOf(inputs, (record) => compiled.probability(assess(record).score))
  return { definition, cases, report }
}

function recalibratedModel(
  model: ModelDefinition,
  parts: Pick<ModelDefinition, 'terms' | 'link'>,
  report: MadeModel['report'],
  profile: ProfileDefinition,
): ModelDefinition {
  const { id, card, threshold } = model
  const fill = fillerFor(report)
  const before = `${id}@${model.version}`
  const { version, threshold: risk } = report.model
  const made = {
    ...model,
    version,
    ...parts,
    card: {
      ...card,
      development: card.development + fill(RECALIBRATED.development),
      discrimination: [
        evidence(report, fill(RECALIBRATED.data), fill(RECALIBRATED.slope)),
        ...card.discrimination.map((entry) => ({ ...entry, data: `${before}: ${entry.data}` })),
      ],
      calibration: fill(RECALIBRATED.calibration),
      limits: [...card.limits, RECALIBRATED.limit],
    },
    // Only the risk: the score of the original threshold no longer applies.
    ...(risk !== undefined && {
      threshold: {
        risk,
        published: false,
        note: fill(RECALIBRATED.note) + (threshold === undefined ? '' : ` Before: ${threshold.note}`),
        cost: fill(RECALIBRATED.cost),
      },
    }),
    profile,
  }
  // The covariance of the first fit says nothing about the new risks.
  delete made.estimates
  return made
}

const NO_REFIT =
  'trees cannot be fitted again here, and one weight for all of them is what the method slope estimates; train the model again with the tool that made it, and import it'
const NO_SLOPE =
  'the slope is not above 0: on these data higher risks do not go with more events, so recalibration cannot help; check the outcome and the inputs'

/** Each call repeats the whole procedure, the closed test included, for a sample of patients. */
function chooserFor(
  input: RecalibrateInput,
  predictions: Predictions,
  points: Float64Array,
  { moving, fitOf, test: closedTest }: Candidates,
) {
  const { model, method: wanted } = input
  const { plan } = modelRunFor(input, model)
  const terms = model.terms.length
  return (times?: Times) => {
    const test = closedTest(times)
    const method = wanted === 'auto' ? test.chosen : wanted
    const fit = method === 'none' ? undefined : fitOf(method, times)
    const weights = new Float64Array(terms).fill(1)
    if (method === 'refit') moving.forEach((term, k) => (weights[term] = fit?.coefficients[k + 1] ?? 1))
    // Within a term the proportions of the points stay.
    const weighted = (term: TermDefinition, k: number): TermDefinition =>
      withPoints(term, (own) => own * (weights[k] as number))
    const [intercept = 0, second = 1] = fit?.coefficients ?? []
    const slope = method === 'slope' ? second : 1
    if (!(slope > 0)) throw times === undefined ? new DataError([NO_SLOPE]) : new NotEstimable()
    const parts =
      method === 'refit'
        ? { terms: model.terms.map(weighted), link: { kind: 'logistic' as const, intercept } }
        : { terms: model.terms, link: fit ? relinked(model.link, intercept, slope) : model.link }
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

/** The link with its log odds stretched and shifted. One that was recalibrated before is not wrapped twice. */
function relinked(link: ModelDefinition['link'], intercept: number, slope: number): ModelDefinition['link'] {
  if (link.kind !== 'recalibrated') return { kind: 'recalibrated', of: link, intercept, slope }
  return { ...link, intercept: intercept + slope * link.intercept, slope: slope * link.slope }
}

function recalibrationReport(
  { path, model, method: wanted, threshold }: RecalibrateInput,
  predictions: Predictions,
  { method, test, fit, moving, after }: ReturnType<ReturnType<typeof chooserFor>>,
): RecalibrationReport {
  const { risk: was, score: scoreBefore } = model.threshold ?? {}
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
    before: orRefuse(path, () => figuresOf(predictions, was)),
    ...(was !== undefined && {
      reclassification: reclassify(predictions, after.risks, was, threshold ?? was),
      flagged: {
        before: thresholdTable(predictions)(was).flagged,
        after: thresholdTable(after)(threshold ?? was).flagged,
        ...(scoreBefore !== undefined && { scoreBefore }),
      },
    }),
  }
}
