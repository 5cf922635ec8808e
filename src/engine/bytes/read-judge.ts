/**
 * Judges records that the byte reader has read but cannot answer: from the slots that it has filled, and from the few
 * values and names that it did not recognise. Nothing is parsed twice.
 */
import type { AssessOptions, Assessor, Outcome } from '../assess.ts'
import type { Plan } from '../plan.ts'
import { fillField, shouldReport } from '../read/read-record.ts'
import { planSlot } from './field-tables.ts'
import * as at from './layout.ts'

/** Where the reader notes what the judge needs. */
interface ReaderNotes {
  /** Slot, start and end of each value or name that the reader did not recognise. */
  readonly odd: Int32Array
  readonly carried: Uint16Array
  readonly memory: Uint8Array
}

type JudgeOptions = Pick<AssessOptions, 'today' | 'reportUnknown'>

export interface ReadJudge {
  begin(options: JudgeOptions): void
  /** Judges the record in the slots. False when the reference must look at its bytes. */
  judge(idx: number, oddCount: number, carriedCount: number): boolean
  /** The judgements in their order, each once. */
  take(): Outcome
}

/** The slots of the assessor are the reader's own. */
export function makeReadJudge(plan: Plan, assessor: Assessor, notes: ReaderNotes): ReadJudge {
  const { odd, carried, memory } = notes
  const { slots } = assessor
  let options: JudgeOptions = { today: 0, reportUnknown: false }
  let outcomes: Outcome[] = []
  let taken = 0
  const slotAt = (index: number): number => odd[(index * at.ODD_SIZE + at.O_SLOT) / 4] as number
  /** Only plain text is noted as odd: one character per byte. */
  const textAt = (index: number): string => {
    const place = (index * at.ODD_SIZE) / 4
    const end = odd[place + at.O_END / 4] as number
    let text = ''
    for (let byte = odd[place + at.O_START / 4] as number; byte < end; byte++)
      text += String.fromCharCode(memory[byte] as number)
    return text
  }
  /** A name that no field has and that the record writes twice. The list is short, so comparing all names is cheap. */
  const isRepeated = (name: string, index: number): boolean => {
    for (let other = 0; other < index; other++)
      if (slotAt(other) === at.ODD_NAME && textAt(other) === name) return true
    return false
  }
  const forget = (): void => {
    outcomes = []
    taken = 0
  }
  return {
    begin(next) {
      options = next
      forget()
    },
    judge(idx, oddCount, carriedCount) {
      slots.release()
      for (let index = 0; index < carriedCount; index++) slots.carry(carried[index] as number)
      const unknown: string[] = []
      for (let index = 0; index < oddCount; index++) {
        const text = textAt(index)
        const slot = slotAt(index)
        if (slot !== at.ODD_NAME) fillField(plan, planSlot(slot), valueOf(text), slots, options.today)
        // A field whose name is too long for the reader.
        else if (plan.slotByName.has(text) || isRepeated(text, index)) return false
        else if (shouldReport(plan, text, options.reportUnknown)) unknown.push(text)
      }
      outcomes.push({ ...assessor.assessSlots(idx, unknown) })
      return true
    },
    take() {
      const outcome = outcomes[taken++] as Outcome
      // The outcomes of a request are not kept until the next one.
      if (taken === outcomes.length) forget()
      return outcome
    },
  }
}

/** The value of a JSON text: a string without escapes, a number, true or false. */
function valueOf(text: string): string | number | boolean {
  if (text.startsWith('"')) return text.slice(1, -1)
  return text === 'true' || text === 'false' ? text === 'true' : Number(text)
}
