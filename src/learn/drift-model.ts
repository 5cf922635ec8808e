/** `learn drift` without files: how far records have moved from the profile that a model carries. */
import { makePlan } from '../engine/plan.ts'
import { type Drift, driftOf } from '../engine/score/drift.ts'
import { ProfileCounter } from '../engine/score/profile.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { DataError } from './data/data-error.ts'
import type { Intake } from './data/labelled.ts'
import { type GatherInput, gather } from './gather.ts'

export interface DriftResult {
  readonly drift: Drift
  readonly intake: Intake
}

export async function driftModel(input: GatherInput, model: ModelDefinition): Promise<DriftResult> {
  if (model.profile === undefined) {
    throw new DataError([
      `${model.id}@${model.version} carries no development profile, so there is nothing to compare with; a model made by learn fit or learn recalibrate does`,
    ])
  }
  const counter = new ProfileCounter(model.profile, makePlan(input.catalog.knowledge, model))
  const { intake } = await gather(
    input,
    model,
    () => undefined,
    (row) => counter.add(row.slots, row.outcomeOfEngine),
  )
  return { drift: driftOf(counter), intake }
}
