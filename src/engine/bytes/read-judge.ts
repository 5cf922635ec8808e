/**
 * Judges what the byte reader has read but cannot answer: from the slots that it has filled, and from the few values and
 * names that it found odd. Nothing is parsed twice, and a record with a problem costs the same whatever its size.
 */
import type { AssessOptions, Assessor, Outcome } from '../assess.ts'
import type { Plan } from '../plan.ts'
import { fillField, isWorthTelling } from '../read/read-record.ts'
import { planSlot } from './field-tables.ts'
import * as at from './layout.ts'

/** Where the reader notes what a judgement needs. */
export interface ReaderNotes {
  readonly header: Int32Array
  /** Slot, start and end of each thing that is odd. */
  readonly odd: Int32Array
  readonly carried: Uint16Array
  readonly memory: Uint8Array
}

export class ReadJudge {
  private readonly plan: Plan
  private readonly assessor: Assessor
  private readonly notes: ReaderNotes
  private options: Pick<AssessOptions, 'today' | 'reportUnknown'> = { today: 0, reportUnknown: false }
  private outcomes: Outcome[] = []
  private taken = 0

  /** The slots of the assessor are the reader's own. */
  constructor(plan: Plan, assessor: Assessor, notes: ReaderNotes) {
    this.plan = plan
    this.assessor = assessor
    this.notes = notes
  }

  begin(options: Pick<AssessOptions, 'today' | 'reportUnknown'>): void {
    this.options = options
    this.forget()
  }

  /** Judges the record in the slots. False when the reference must look at its bytes. */
  judge(idx: number): boolean {
    const { plan, assessor, notes } = this
    const { slots } = assessor
    slots.release()
    const scales = notes.header[at.H_CARRIED_COUNT / 4] as number
    for (let index = 0; index < scales; index++) slots.carry(notes.carried[index] as number)
    const unknown: string[] = []
    const count = notes.header[at.H_ODD_COUNT / 4] as number
    for (let index = 0; index < count; index++) {
      const place = (index * at.ODD_SIZE) / 4
      const text = this.textAt(place)
      const slot = notes.odd[place + at.O_SLOT / 4] as number
      if (slot !== at.ODD_NAME) {
        fillField(plan, planSlot(slot), valueOf(text), slots, this.options.today)
      } else if (this.isKnown(text) || this.isRepeated(text, index)) return false
      else if (isWorthTelling(plan, text, this.options.reportUnknown)) unknown.push(text)
    }
    const { problems, blocked, score, risk, keys } = assessor.assessSlots(idx, unknown)
    this.outcomes.push({ idx, problems, blocked, score, risk, keys })
    return true
  }

  /** The judgements in their order, each once. */
  take(): Outcome {
    const outcome = this.outcomes[this.taken++] as Outcome
    // What the last records of a request were told is not kept until the next.
    if (this.taken === this.outcomes.length) this.forget()
    return outcome
  }

  private forget(): void {
    this.outcomes = []
    this.taken = 0
  }

  /** A field whose name is too long for the reader. */
  private isKnown(name: string): boolean {
    return this.plan.slotByName.has(name)
  }

  /** A name that no field has and that stands twice in the record: few are odd, so a look at each will do. */
  private isRepeated(name: string, index: number): boolean {
    for (let other = 0; other < index; other++) {
      const place = (other * at.ODD_SIZE) / 4
      if (this.notes.odd[place + at.O_SLOT / 4] === at.ODD_NAME && this.textAt(place) === name) return true
    }
    return false
  }

  /** What is odd is plain: a character for each byte. */
  private textAt(place: number): string {
    const { odd, memory } = this.notes
    const end = odd[place + at.O_END / 4] as number
    let text = ''
    for (let byte = odd[place + at.O_START / 4] as number; byte < end; byte++)
      text += String.fromCharCode(memory[byte] as number)
    return text
  }
}

/** The value of a text that a parser would read as one: a text without escapes, a number, or a truth. */
function valueOf(text: string): string | number | boolean {
  if (text.startsWith('"')) return text.slice(1, -1)
  return text === 'true' || text === 'false' ? text === 'true' : Number(text)
}
