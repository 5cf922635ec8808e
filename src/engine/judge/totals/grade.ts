/** A total that is one single grade. */
import type { Computation } from './computation.ts'

export function compileGrade(target: number, item: number): Computation {
  return {
    target,
    parts: [item],
    comparesPartly: false,
    fillsIn: true,
    isPlainSum: false,
    isComplete: (slots) => slots.isUsable(item),
    compute: (slots) => slots.valueOf(item),
  }
}
