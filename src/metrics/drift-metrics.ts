/** Metrics for how far inputs and risk have moved from the development data of a model. */
import { Gauge, Registry } from 'prom-client'
import type { Drift } from '../engine/score/profile.ts'
import type { UnitHint } from '../engine/score/likely-unit.ts'

const HELP = {
  drift_records: 'Records sampled for the drift figures since the start.',
  drift_index: 'Population stability index of an input, or of the risk, against development.',
  drift_missing_ratio: 'Share of sampled records without a usable value.',
  drift_flagged_ratio: 'Share of sampled risks at or above the threshold of the model.',
  unit_doubt: 'Median of a sampled field that is unusual in the unit received and usual in the likely one.',
}

export interface DriftSource {
  counts(): Counts
  drifts(counts?: Counts): readonly (readonly [string, Drift])[]
  /** Fields whose sampled values are probably in another unit. */
  unitHints(counts?: Counts): readonly (readonly [string, UnitHint])[]
}

type Counts = Readonly<Record<string, readonly number[]>>

/** Computed on request, from the counts of this process or of all processes added up. */
export function printDrift(source: DriftSource | undefined, counts?: Counts): Promise<string> {
  const registry = new Registry()
  const gauge = <L extends string>(name: keyof typeof HELP, ...labels: L[]): Gauge<L> =>
    new Gauge({ name: `patient_risk_${name}`, help: HELP[name], labelNames: labels, registers: [registry] })
  const records = gauge('drift_records', 'deployment')
  const index = gauge('drift_index', 'deployment', 'field')
  const missing = gauge('drift_missing_ratio', 'deployment', 'field')
  const flagged = gauge('drift_flagged_ratio', 'deployment', 'field')
  const unit = gauge('unit_doubt', 'deployment', 'field', 'received', 'likely')
  for (const [deployment, { median, field, received, likely }] of source?.unitHints(counts) ?? [])
    unit.set({ deployment, field, received, likely }, median)
  for (const [deployment, each] of source?.drifts(counts) ?? []) {
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
