/** `learn drift` without files: how far records have moved from the profile that a model carries. */
import type { ModelDefinition } from '../definition/model.ts'
import { type Drift, driftOf } from '../engine/score/drift.ts'
import { UnitWatch, hintText } from '../engine/score/likely-unit.ts'
import { ProfileCounter } from '../engine/score/profile.ts'
import { DataError } from './data/data-error.ts'
import { type GatherInput, type SeenRow, gather, readerFor } from './gather.ts'

/** `doubts` are sentences on inputs that are probably in another unit. */
export async function driftModel(
  input: GatherInput,
  model: ModelDefinition,
): Promise<{ readonly drift: Drift; readonly doubts: readonly string[] }> {
  if (model.profile === undefined) {
    throw new DataError([
      `${model.id}@${model.version} carries no development profile, so there is nothing to compare with; a model made by learn fit or learn recalibrate does`,
    ])
  }
  const { plan } = readerFor(input, model)
  const counter = new ProfileCounter(model.profile, plan)
  const watch = new UnitWatch({ plan, units: input.catalog.units, model })
  const countAll = ({ slots, outcomeOfEngine }: SeenRow): void => {
    counter.add(slots, outcomeOfEngine)
    watch.add(slots)
  }
  await gather(input, model, () => undefined, countAll)
  return { drift: driftOf(counter), doubts: watch.hints().map(hintText) }
}
