/**
 * Judges records that the byte reader has read but cannot answer: from the slots that it has filled, and from the few
 * values and names that it did not recognise. Nothing is parsed twice.
 */
import type { AssessOptions, Assessor, Outcome } from '../assess.ts'
import type { Plan } from '../plan.ts'
import { fillField, shouldReport } from '../read/read-record.ts'
import { planSlot } from './field-tables.ts'
import * as at from './layout.ts'
import type { ReaderModule } from './memory-image.ts'

/** Where the reader notes what the judge needs. */
export interface ReaderNotes {
  readonly reader: Pick<ReaderModule, 'oddCount' | 'carriedCount'>
  /** Slot, start and end of each value or name that the reader did not recognise. */
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
    const scales = notes.reader.carriedCount.value
    for (let index = 0; index < scales; index++) slots.carry(notes.carried[index] as number)
    const unknown: string[] = []
    const count = notes.reader.oddCount.value
    for (let index = 0; index < count; index++) {
      const place = (index * at.ODD_SIZE) / 4
      const text = this.textAt(place)
      const slot = notes.odd[place + at.O_SLOT / 4] as number
      if (slot !== at.ODD_NAME) {
        fillField(plan, planSlot(slot), valueOf(text), slots, this.options.today)
      } else if (this.isKnown(text) || this.isRepeated(text, index)) return false
      else if (shouldReport(plan, text, this.options.reportUnknown)) unknown.push(text)
    }
    this.outcomes.push({ ...assessor.assessSlots(idx, unknown) })
    return true
  }

  /** The judgements in their order, each once. */
  take(): Outcome {
    const outcome = this.outcomes[this.taken++] as Outcome
    // The outcomes of a request are not kept until the next one.
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

  /** A name that no field has and that the record writes twice. The list is short, so comparing all names is cheap. */
  private isRepeated(name: string, index: number): boolean {
    for (let other = 0; other < index; other++) {
      const place = (other * at.ODD_SIZE) / 4
      if (this.notes.odd[place + at.O_SLOT / 4] === at.ODD_NAME && this.textAt(place) === name) return true
    }
    return false
  }

  /** Only plain text is noted as odd: one character per byte. */
  private textAt(place: number): string {
    const { odd, memory } = this.notes
    const end = odd[place + at.O_END / 4] as number
    let text = ''
    for (let byte = odd[place + at.O_START / 4] as number; byte < end; byte++)
      text += String.fromCharCode(memory[byte] as number)
    return text
  }
}

/** The value of a JSON text: a string without escapes, a number, true or false. */
function valueOf(text: string): string | number | boolean {
  if (text.startsWith('"')) return text.slice(1, -1)
  return text === 'true' || text === 'false' ? text === 'true' : Number(text)
}
