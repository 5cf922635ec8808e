/** What a recalibration needs of its data: each row's risk and outcome, and the points of its terms. */
import type { ModelDefinition } from '../../definition/model.ts'
import { type CompiledModel, compileModel } from '../../engine/score/model.ts'
import { type Plan, makePlan } from '../../engine/plan.ts'
import type { GatherInput } from '../gather.ts'
import { type Scored, scoreRows } from '../score-rows.ts'

export interface SeenRows extends Scored {
  readonly plan: Plan
  readonly compiled: CompiledModel
  /** Row by row, a number for each term. */
  readonly points: Float64Array
}

export async function seeRows(input: GatherInput, model: ModelDefinition): Promise<SeenRows> {
  const plan = makePlan(input.catalog.knowledge, model)
  const compiled = compileModel(model, plan)
  const points: number[] = []
  const scored = await scoreRows(input, model, ({ slots }) => {
    for (const term of compiled.terms) points.push(term.points(slots.values, slots.states))
  })
  return { ...scored, plan, compiled, points: Float64Array.from(points) }
}
