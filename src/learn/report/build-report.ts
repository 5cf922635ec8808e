/** The parts of a report that every command builds in the same way. */
import { basename } from 'node:path'
import type { ModelDefinition } from '../../definition/model.ts'
import { type Predictions, estimateWith } from '../figures/predictions.ts'
import { differencesOf, subgroupsOf } from '../figures/subgroups.ts'
import type { Estimates } from '../fit/estimate.ts'
import { isRobust } from '../fit/logistic.ts'
import type { GatherInput } from '../gather.ts'
import { normalTail } from '../numbers/chi-square.ts'
import type { Scored } from '../score-rows.ts'
import type { DataReport, FitReport, ModelReport, Report } from './report.ts'

export function modelReport(
  { id, version, title }: Omit<ModelReport, 'threshold'>,
  threshold: number | undefined,
): ModelReport {
  return { id, version, title, ...(threshold === undefined ? {} : { threshold }) }
}

export function dataReport(
  { path, data }: GatherInput,
  { inputs, card }: Pick<ModelDefinition, 'inputs' | 'card'>,
  { gathered, predictions }: Pick<Scored, 'gathered' | 'predictions'>,
): DataReport {
  const { intake, looked } = gathered
  const leftOut = [...intake.leftOut]
    .map(([reason, rows]) => ({ reason, rows }))
    .sort((a, b) => b.rows - a.rows)
  const assumed = [...gathered.inputs].flatMap(([input, { assumed: rows }]) =>
    inputs[input]?.whenAbsent === undefined ? [] : [{ input, rows }],
  )
  return {
    file: basename(path),
    noun: data.noun ?? 'rows',
    outcome: card.outcome,
    read: intake.rows,
    used: predictions.risks.length,
    leftOut,
    missing: [...gathered.inputs].map(([input, { missing }]) => ({
      input,
      share: missing / Math.max(1, looked),
    })),
    ...(assumed.length === 0 ? {} : { assumed }),
    ...(intake.blankPatients === 0 ? {} : { blankPatients: intake.blankPatients }),
    ...(data.weights === undefined ? {} : { weights: data.weights }),
  }
}

/** Parts of the data, how far they differ, and the figures under other assumptions. */
export function partsReport(
  { notes }: Pick<Scored, 'notes'>,
  predictions: Predictions,
  threshold: number | undefined,
): Pick<Report, 'subgroups' | 'differences' | 'sensitivity' | 'competing'> {
  const subgroups = subgroupsOf(predictions, notes.groupings(), threshold)
  const sensitivity = notes.sensitivity(predictions, threshold)
  const competing = notes.competingRows(predictions)
  return {
    subgroups,
    differences: differencesOf(subgroups),
    ...(sensitivity.length === 0 ? {} : { sensitivity }),
    ...(competing === undefined ? {} : { competing }),
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
