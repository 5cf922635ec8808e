/** The parts of a report that every command builds in the same way. */
import { basename } from 'node:path'
import type { ModelDefinition } from '../../definition/model.ts'
import type { Predictions } from '../figures/predictions.ts'
import { differencesOf, subgroupsOf } from '../figures/subgroups.ts'
import type { GatherInput } from '../gather.ts'
import type { Scored } from '../score-rows.ts'
import type { DataReport, ModelReport, Report } from './report.ts'
import { warningsOf } from './warnings.ts'

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

export function withWarnings(report: Report): Report {
  const warnings = warningsOf(report)
  return warnings.length === 0 ? report : { ...report, warnings }
}
