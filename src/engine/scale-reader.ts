/** Reads a record for its scales alone: which problems it has, and which figures follow. No model is involved. */
import { Assessor } from './assess.ts'
import { compileModel } from './score/model.ts'
import { type Knowledge, makePlan } from './plan.ts'
import type { Problem } from './judge/problem.ts'

export interface ScaleReading {
  readonly problems: readonly Problem[]
  /** A figure that is given or computed, in the scale's base form; undefined if it is absent or not trusted. */
  figure(field: string): number | undefined
}

const NO_MODEL: Parameters<typeof compileModel>[0] = {
  ...{ inputs: {}, terms: [], link: { kind: 'logistic', intercept: 0 } },
}
const OPTIONS = { reportUnknown: true, maxKeys: Infinity }

export function createScaleReader(knowledge: Knowledge): (record: object, today: number) => ScaleReading {
  const plan = makePlan(knowledge)
  const assessor = new Assessor(plan, compileModel(NO_MODEL, plan))
  return (record, today) => {
    const { problems } = assessor.assess({ idx: 0, ...record }, 0, { ...OPTIONS, today })
    return {
      problems,
      figure(field) {
        const slot = plan.slotByName.get(field)
        return slot !== undefined && assessor.slots.isUsable(slot) ? assessor.slots.valueOf(slot) : undefined
      },
    }
  }
}
