/** `learn drift` without files: compares the records of a file with the profile that a model carries. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { STATE, hintOf, hintText, unitFields } from 'patient-risk-engine'
import { type Drift, ProfileCounter, driftOf } from '@patient-risk/monitor'
import { DataError } from '../../tables/data-error.ts'
import { type GatherInput, gather, modelRunFor } from '../data/gather.ts'

/** How far records have moved from the profile that a model carries; `doubts` name inputs that are probably in another unit. */
export async function driftModel(
  input: GatherInput,
  model: ModelDefinition,
): Promise<{ readonly drift: Drift; readonly doubts: readonly string[] }> {
  if (model.profile === undefined)
    throw new DataError([
      `${model.id}@${model.version} carries no development profile, so there is nothing to compare with; a model made by learn fit or learn recalibrate does`,
    ])
  const run = modelRunFor(input, model)
  const { plan, assessor } = run
  const counter = new ProfileCounter(model.profile, plan)
  const fields = unitFields({ plan, units: input.catalog.units, model })
  const given = fields.map((): number[] => [])
  await gather(input, run, undefined, () => {
    counter.add(assessor.slots, assessor.result)
    fields.forEach(({ slot }, index) => {
      const state = assessor.slots.stateOf(slot)
      const value = assessor.slots.valueOf(slot)
      // Values out of range too, since another unit causes them.
      if ((state === STATE.valid || state === STATE.outOfRange) && value > 0) given[index]?.push(value)
    })
  })
  const doubts = fields.flatMap((field, index) => {
    const values = Float64Array.from(given[index] ?? []).sort()
    return hintOf(field, values.length, values[values.length >> 1] ?? 0).map(hintText)
  })
  return { drift: driftOf(counter), doubts }
}
