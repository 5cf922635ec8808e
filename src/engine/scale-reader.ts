/** Reads a record for its scales alone: which problems it has, and which figures follow. No model is involved. */
import { Assessor } from './assess.ts'
import type { CompiledModel } from './score/model.ts'
import { type Knowledge, makePlan } from './plan.ts'
import type { Problem } from './judge/problem.ts'

export interface ScaleReading {
  readonly problems: readonly Problem[]
  /** A figure that is given or computed, in the scale's base form; undefined if it is absent or not trusted. */
  figure(field: string): number | undefined
}

const NO_MODEL: Omit<CompiledModel, 'isRequired'> = {
  required: [],
  assumed: [],
  blocks: () => false,
  terms: [],
  score: () => 0,
  probability: () => 0,
}

export function createScaleReader(knowledge: Knowledge): (record: object, today: number) => ScaleReading {
  const plan = makePlan(knowledge)
  const assessor = new Assessor(plan, { ...NO_MODEL, isRequired: new Uint8Array(plan.fields.length) })
  return (record, today) => {
    const { problems } = assessor.assess({ idx: 0, ...record }, 0, {
      today,
      reportUnknown: true,
      maxKeys: Infinity,
    })
    return {
      problems,
      figure(field) {
        const slot = plan.slotByName.get(field)
        return slot !== undefined && assessor.slots.isUsable(slot) ? assessor.slots.valueOf(slot) : undefined
      },
    }
  }
}
