/**
 * The bounds of reading a model file. A small file can ask for a great deal of work, such as a derived field that doubles the one before
 * it forty times. What is counted depends on the file alone, so the same file always gets the same answer.
 */
import { refuse } from './source.ts'

/** A few seconds. The largest models of the tests need less than a hundredth of it. */
export const MOST_STEPS = 20_000_000
/** Each of them needs a field of the record. */
const MOST_FEATURES = 5_000
/** Splits one after the other. A model has fewer after branches that nothing reaches are left out. */
const MOST_SPLITS_DEEP = 500

/** Counts the steps of reading one file: an expression evaluated once, a code compared once, a part of a formula copied once. */
export class ReadingBudget {
  private left = MOST_STEPS

  /** Asked before the steps are taken. */
  take(steps: number, where: string): void {
    // Not the other way round: a product of two counts may be a number that compares with nothing.
    if (!(steps <= this.left))
      refuse(where, `asks for more than ${MOST_STEPS.toLocaleString('en')} steps of work; simplify the model`)
    this.left -= steps
  }
}

export function refuseFeatures(count: number, where: string): void {
  if (count > MOST_FEATURES)
    refuse(where, `are ${count} features; at most ${MOST_FEATURES.toLocaleString('en')} are read`)
}

/** Goes through a tree level by level, so that no tree is too deep for it. `splitsBelow` names the splits that follow a split. */
export function refuseDeep(splitsBelow: (split: number) => readonly number[], where: string): void {
  let level: readonly number[] = [0]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= MOST_SPLITS_DEEP) refuse(where, `is more than ${MOST_SPLITS_DEEP} splits deep`)
    level = level.flatMap(splitsBelow)
  }
}
