/** A total of 1 when every part of a rule holds, else 0. An item holds when it is above 0. */
import type { RuleDefinition } from '../../../definition/scale.ts'
import { allUsable, type Computation } from './computation.ts'

export function compileRule(
  target: number,
  parts: readonly number[],
  definition: RuleDefinition,
  slotOf: (item: string) => number,
): Computation {
  const clauses = definition.all.map((part) =>
    typeof part === 'string' ? [slotOf(part)] : part.any.map(slotOf),
  )
  return {
    target,
    parts,
    comparesPartly: false,
    fillsIn: true,
    isPlainSum: false,
    isComplete: (slots) => allUsable(slots, parts),
    compute: (slots) => (clauses.every((any) => any.some((part) => slots.valueOf(part) > 0)) ? 1 : 0),
  }
}
