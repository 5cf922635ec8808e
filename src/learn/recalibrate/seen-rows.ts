/** What a recalibration needs of its data: each row's risk and outcome, the points of its terms, and its inputs. */
import type { ModelDefinition } from '../../definition/model.ts'
import { type CompiledModel, compileModel } from '../../engine/score/model.ts'
import { type Plan, makePlan } from '../../engine/plan.ts'
import { STATE } from '../../engine/read/slots.ts'
import { Sample } from '../data/sample.ts'
import type { InputSample } from '../fit/estimate.ts'
import type { GatherInput } from '../gather.ts'
import { type Scored, scoreRows } from '../validate-model.ts'

export interface SeenRows extends Scored {
  readonly plan: Plan
  readonly compiled: CompiledModel
  /** Row by row, a number for each term. */
  readonly points: Float64Array
  readonly inputs: ReadonlyMap<string, InputSample>
}

export async function seeRows(input: GatherInput, model: ModelDefinition): Promise<SeenRows> {
  const plan = makePlan(input.catalog.knowledge, model)
  const compiled = compileModel(model, plan)
  const points: number[] = []
  const inputs = new Map<string, InputSample>(
    Object.keys(model.inputs).map((name) => [name, { sample: new Sample(), missing: 0 }]),
  )
  const places = [...inputs].map(([name, seen]) => ({ seen, slot: plan.slotByName.get(name) ?? -1 }))
  const scored = await scoreRows(input, model, ({ slots }) => {
    for (const term of compiled.terms) points.push(term.points(slots.values, slots.states))
    for (const { seen, slot } of places) {
      if (slots.stateOf(slot) === STATE.assumed) seen.missing++
      else seen.sample.add(slots.valueOf(slot))
    }
  })
  return { ...scored, plan, compiled, points: Float64Array.from(points), inputs }
}
