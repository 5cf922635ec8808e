/**
 * The values of one record, at fixed places. A reader fills the slots of the fields that are present, and clearing
 * touches only those: the cost depends on the record, not on the size of the catalogue.
 */

/** The state of one slot. Every state from `FIRST_INVALID` on is invalid. */
export const STATE = {
  absent: 0,
  valid: 1,
  /** Not given, and computed from other fields. */
  computed: 2,
  /** Not given or not trusted, and replaced by the value that the model states for absence. */
  assumed: 3,
  /** Given and well-formed, but it rests on a value that is wrong, so it is not used. */
  untrusted: 4,
  outOfRange: 5,
  notAnInteger: 6,
  notANumber: 7,
  notPermitted: 8,
  notADate: 9,
  dateInFuture: 10,
  givenTwice: 11,
  /** A total that differs from what its parts give. The slot's value is the figure that the parts give. */
  mismatch: 12,
  /** A value that the declared coding of its scale does not have. */
  otherCoding: 13,
  /** The coding that a scale's values are written in is not declared. */
  undeclared: 14,
} as const
export type State = (typeof STATE)[keyof typeof STATE]

export const FIRST_INVALID = STATE.outOfRange

/** The states of a value that may enter a computation. */
export const USABLE = [STATE.valid, STATE.computed] as const

export class Slots {
  readonly values: Float64Array
  readonly states: Uint8Array
  /** Whether the record carries a field of each scale. */
  private readonly carried: Uint8Array
  private readonly wrong: number[] = []
  /** The figure that the parts of an invalid total give, where it differs from the total. */
  readonly disagreements = new Map<number, number>()
  /** Texts and numbers that were refused as a code, as yes or no, as a number or as a date: slot and value in turn. */
  readonly refused: (number | string)[] = []
  private readonly touched: Int32Array
  private touchedCount = 0
  /** The scales that the record carries fields of, in any order, and how many they are. */
  readonly scales: Int32Array
  scaleCount = 0

  /** The slots may lie in memory that another reader fills. */
  constructor(
    fieldCount: number,
    scaleCount: number,
    values: Float64Array = new Float64Array(fieldCount),
    states: Uint8Array = new Uint8Array(fieldCount),
  ) {
    this.values = values
    this.states = states
    this.carried = new Uint8Array(scaleCount)
    this.touched = new Int32Array(fieldCount)
    this.scales = new Int32Array(scaleCount)
  }

  /** Clears the record. */
  clear(): void {
    for (let i = 0; i < this.touchedCount; i++) this.states[this.touched[i] as number] = STATE.absent
    this.release()
  }

  /** Starts a new record where the owner of the memory has cleared the slots itself. */
  release(): void {
    for (let i = 0; i < this.scaleCount; i++) this.carried[this.scales[i] as number] = 0
    this.touchedCount = 0
    this.scaleCount = 0
    if (this.wrong.length > 0) this.wrong.length = 0
    if (this.refused.length > 0) this.refused.length = 0
    if (this.disagreements.size > 0) this.disagreements.clear()
  }

  /** Whether any slot of the record is invalid. */
  get faulty(): boolean {
    return this.wrong.length > 0
  }

  /** The slots that are invalid, each once, in any order. */
  invalid(): number[] {
    return this.wrong.filter((slot, index) => this.wrong.indexOf(slot) === index)
  }

  set(slot: number, state: State, value: number): void {
    if (this.states[slot] === STATE.absent) this.touched[this.touchedCount++] = slot
    this.states[slot] = state
    this.values[slot] = value
    if (state >= FIRST_INVALID) this.wrong.push(slot)
  }

  /** Notes a value that is none of a field's codes. It may be one of another convention. */
  refuseCode(slot: number, given: unknown): void {
    this.set(slot, STATE.notPermitted, 0)
    if (typeof given === 'string' || typeof given === 'number') this.refused.push(slot, given)
  }

  /** Notes what is no number, or no date. A text may be one that stands for a missing value. */
  refuse(slot: number, state: State, value: number, given: unknown): void {
    this.set(slot, state, value)
    if (typeof given === 'string') this.refused.push(slot, given)
  }

  /** Notes that the record carries a field of this scale. */
  carry(scale: number): void {
    if (this.carried[scale] === 0) this.scales[this.scaleCount++] = scale
    this.carried[scale] = 1
  }

  /** Notes the figure that an invalid total should be. */
  disagree(slot: number, figure: number): void {
    this.disagreements.set(slot, figure)
  }

  stateOf(slot: number): State {
    return this.states[slot] as State
  }

  valueOf(slot: number): number {
    return this.values[slot] as number
  }

  /** Whether the slot holds a number that may enter a computation. */
  isUsable(slot: number): boolean {
    const state = this.states[slot] as number
    return state === STATE.valid || state === STATE.computed
  }
}
