/**
 * The work of explaining a record, counted in steps: a term evaluated once, a node of a tree visited once. What is counted depends on
 * the record alone, never on the records before it or on the time that passes, so the same record always gets the same answer.
 */

/** Lets a caller stop work that proves too expensive: every call may throw. What the byte reader does alone costs too little to be asked about. */
export interface WorkBudget {
  /** Before a whole body is parsed at once. */
  beforeParse(bytes: number): void
  /** From time to time while records are judged, with the size of the answer so far. */
  step(answerBytes: number): void
  /** Before so many steps are taken for what an answer rests on. */
  work(steps: number): void
}

/**
 * The most steps for each part of a record's explanation: 10 to 20 ms. Two thousand trees of depth 5, with all values open, stay within
 * it.
 */
export const RECORD_STEPS = 500_000

/** Steps that are known one by one are taken together, so many at a time. */
const PORTION = 1_024

/** A part of an explanation would take more steps than a record may. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

/** Counts the steps of one part of one record's explanation. */
export class WorkMeter {
  private readonly budget: WorkBudget | undefined
  private left = RECORD_STEPS
  private counted = 0

  constructor(budget?: WorkBudget) {
    this.budget = budget
  }

  /** Asked before the steps are taken, so that work which is too much never begins. Throws TooMuchWork, or what the budget throws. */
  take(steps: number): void {
    // Not the other way round: a number of combinations may overflow into one that compares with nothing.
    if (!(steps <= this.left)) throw new TooMuchWork()
    this.left -= steps
    this.budget?.work(steps)
  }

  /** For steps that are known only when they are taken, as on a way through a tree. */
  count(steps: number): void {
    this.counted += steps
    if (this.counted < PORTION) return
    this.take(this.counted)
    this.counted = 0
  }
}

/** Steps between two questions whether the work may go on: less than a millisecond. */
export const LOOK_STEPS = 19_200
/** What a record costs that is judged, besides the steps of its model and its scales. */
export const JUDGED_STEPS = 300

/**
 * Asks a budget from time to time while records are answered. Their number and their bytes do not say how long that takes: ten bytes may
 * visit every tree of a model, and carry a scale of which many figures are computed.
 */
export class BudgetWatch {
  private readonly budget: WorkBudget | undefined
  private left = LOOK_STEPS

  constructor(budget: WorkBudget | undefined) {
    this.budget = budget
  }

  /** After so many steps. Throws what the budget throws. */
  spend(steps: number, answerBytes = 0): void {
    this.left -= steps
    if (this.left > 0) return
    this.left = LOOK_STEPS
    this.budget?.step(answerBytes)
  }
}

/** For what is computed once and kept for all records. */
export const UNMETERED: Pick<WorkMeter, 'take'> = { take: () => undefined }

/** What the work gives; undefined where it would be too much for a record. */
export function withinRecord<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined
    throw error
  }
}
