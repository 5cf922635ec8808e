/** Metrics for how far inputs and risk have moved from the development data of a model. */
import { Gauge, Registry } from 'prom-client'
import type { Drift } from '../engine/score/drift.ts'
import type { UnitHint } from '../engine/score/likely-unit.ts'

/** Computed on request, so that the counts of several processes can be added up first. */
export function printDrift(
  drifts: readonly (readonly [string, Drift])[],
  unitHints: readonly (readonly [string, UnitHint])[] = [],
): Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  const labelled = (name: string, help: string): Gauge<'deployment' | 'field'> =>
    new Gauge({ name, help, labelNames: ['deployment', 'field'], registers })
  const records = new Gauge({
    name: 'patient_risk_drift_records',
    help: 'Records sampled for the drift figures since the start.',
    labelNames: ['deployment'],
    registers,
  })
  const index = labelled(
    'patient_risk_drift_index',
    'Population stability index of an input, or of the risk, against development.',
  )
  const missing = labelled(
    'patient_risk_drift_missing_ratio',
    'Share of sampled records without a usable value.',
  )
  const flagged = labelled(
    'patient_risk_drift_flagged_ratio',
    'Share of sampled risks at or above the threshold of the model.',
  )
  const unit = new Gauge({
    name: 'patient_risk_unit_doubt',
    help: 'Median of a sampled field that is unusual in the unit received and usual in the likely one.',
    labelNames: ['deployment', 'field', 'received', 'likely'],
    registers,
  })
  for (const [deployment, { field, received, likely, median }] of unitHints)
    unit.set({ deployment, field, received, likely }, median)
  for (const [deployment, each] of drifts) {
    records.set({ deployment }, each.records)
    if (each.records === 0) continue
    for (const input of each.inputs) {
      missing.set({ deployment, field: input.name }, input.missing)
      if (!Number.isNaN(input.index)) index.set({ deployment, field: input.name }, input.index)
    }
    if (Number.isNaN(each.risk)) continue
    index.set({ deployment, field: 'risk' }, each.risk)
    if (!Number.isNaN(each.flagged)) flagged.set({ deployment, field: 'risk' }, each.flagged)
  }
  return registry.metrics()
}
