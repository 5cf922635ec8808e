/** `learn recalibrate` without files: a model and local outcomes become a new version, compared with the old one. */
import type { TermDefinition } from '../definition/term.ts'
import { roundRisk } from '../engine/score/round.ts'
import { estimateAt } from './figures/calibration.ts'
import { type Figures, figuresOf } from './figures/figures.ts'
import { type Predictions, eventsOf } from './figures/predictions.ts'
import { optimismOf } from './figures/resampling.ts'
import { thresholdTable } from './figures/thresholds.ts'
import { DEFAULT_SEED, usualSamples } from './fit/estimate.ts'
import { orRefuse, readerFor, stageOf } from './gather.ts'
import { casesOf } from './model/cases.ts'
import { recalibratedModel } from './model/definition.ts'
import { profileOf } from './model/profile.ts'
import type { Method } from './recalibrate/candidates.ts'
import { type Choice, chooserFor, seeRows } from './recalibrate/choose.ts'
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
  const rows = await seeRows(input, model)
  const { predictions, gathered } = rows
  if (input.allowSmallSample !== true) {
    const size = { rows: predictions.risks.length, events: eventsOf(predictions) }
    refuseSmallSample(input.path, size, input.method === 'refit' ? rows.compiled.terms.length : 0)
  }
  const choose = chooserFor(model, input.method, rows)
  const choice = orRefuse(input.path, () => choose())
  const { after } = choice
  const optimism = optimismOf((times) => ({ predictions: choose(times).after }), {
    of: 'recalibration',
    samples: input.samples ?? usualSamples(after.risks.length, rows.compiled.terms.length),
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
  const { domains } = input.catalog
  const about = `Data on which ${model.id}@${version} was recalibrated`
  const profile = profileOf(about, model, domains, gathered.inputs, after.risks, threshold)
  const definition = recalibratedModel(model, choice.parts, report, profile)
  // Records from the model's ranges, risks from the engine.
  const { compiled, assess } = readerFor(input, definition)
  const riskOf = (record: object): number => compiled.probability(assess({ ...record }).score)
  return { definition, cases: casesOf(definition, domains, gathered.inputs, riskOf), report }
}

function recalibrationReport(
  { model, method: wanted, threshold }: RecalibrateInput,
  predictions: Predictions,
  { method, test, fit, moving, after }: Choice,
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
