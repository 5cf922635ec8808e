/** Builds a report, in the same way for every command. */
import { basename } from 'node:path'
import type { ModelDefinition } from '../../definition/model.ts'
import { type Predictions, estimateWith } from '../figures/predictions.ts'
import { differencesOf, subgroupsOf } from '../figures/subgroups.ts'
import type { Estimates } from '../fit/estimate.ts'
import { isRobust } from '../fit/logistic.ts'
import type { GatherInput, Gathered, Scored } from '../gather.ts'
import { normalTail } from '../numbers/chi-square.ts'
import type { DataReport, FitReport, Report } from './report.ts'
import { withWarnings } from './warnings.ts'

export interface ReportInput extends GatherInput {
  readonly kind: Report['kind']
  /** YYYY-MM-DD. */
  readonly made: string
  readonly model: Pick<ModelDefinition, 'id' | 'version' | 'title' | 'inputs' | 'card'>
  readonly threshold: number | undefined
}

/** The report on these predictions; `more` is what only this kind of report has. */
export function buildReport(
  input: ReportInput,
  { gathered, notes }: Omit<Scored, 'predictions'>,
  predictions: Predictions,
  more: Omit<Report, 'kind' | 'made' | 'model' | 'data' | 'subgroups' | 'differences'>,
): Report {
  const { kind, made, threshold } = input
  const { id, version, title } = input.model
  const { figures, ...others } = more
  const subgroups = subgroupsOf(predictions, notes.groupings(), threshold)
  const sensitivity = notes.sensitivity(predictions, threshold)
  const competing = notes.competingRows(predictions)
  return withWarnings({
    kind,
    made,
    model: { id, version, title, ...(threshold === undefined ? {} : { threshold }) },
    data: dataReport(input, gathered, predictions.risks.length),
    figures,
    subgroups,
    differences: differencesOf(subgroups),
    ...(sensitivity.length === 0 ? {} : { sensitivity }),
    ...(competing === undefined ? {} : { competing }),
    ...others,
  })
}

function dataReport(
  { path, data, model }: ReportInput,
  { intake, looked, inputs }: Gathered,
  used: number,
): DataReport {
  const assumed = [...inputs].flatMap(([input, { assumed: rows }]) =>
    model.inputs[input]?.whenAbsent === undefined ? [] : [{ input, rows }],
  )
  return {
    file: basename(path),
    noun: data.noun ?? 'rows',
    outcome: model.card.outcome,
    read: intake.rows,
    used,
    leftOut: [...intake.leftOut].map(([reason, rows]) => ({ reason, rows })).sort((a, b) => b.rows - a.rows),
    missing: [...inputs].map(([input, { missing }]) => ({ input, share: missing / Math.max(1, looked) })),
    ...(assumed.length === 0 ? {} : { assumed }),
    ...(intake.blankPatients === 0 ? {} : { blankPatients: intake.blankPatients }),
    ...(data.weights === undefined ? {} : { weights: data.weights }),
  }
}

export function methodOf({ ridge }: Pick<Estimates, 'ridge'>): string {
  if (ridge === undefined) return 'maximum likelihood without penalty'
  return `penalised maximum likelihood (ridge, penalty ${ridge.penalty.toPrecision(3)} chosen by ${ridge.folds}-fold cross-validation of patients)`
}

export function fitReport(estimates: Estimates): FitReport {
  const { fit, ridge, draft, design } = estimates
  const size = fit.coefficients.length
  return {
    method: methodOf(estimates),
    iterations: fit.iterations,
    logLikelihood: fit.logLikelihood,
    ...(ridge === undefined ? {} : { penalty: ridge.penalty }),
    clustered: isRobust(design),
    coefficients: ['Intercept', ...draft.columns].map((name, index) => {
      const variance = fit.covariance[index * size + index] as number
      const {
        value: estimate,
        error,
        from,
        to,
      } = estimateWith(fit.coefficients[index] as number, Math.sqrt(variance))
      return { name, estimate, error, from, to, pValue: normalTail(estimate / error) }
    }),
  }
}
