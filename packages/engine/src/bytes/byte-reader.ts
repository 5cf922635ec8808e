/** The byte reader with the tables of one deployment in its memory. It reads input window by window. */
import { type AssessOptions, Assessor, type RecordResult } from '../answer/assess.ts'
import type { WatchedBody } from '../answer/record-watch.ts'
import { reconcileScale } from '../judge/reconcile-totals.ts'
import type { Plan } from '../plan/plan.ts'
import { parseJson } from '../read/parse-json.ts'
import { fillField, shouldReport } from '../read/read-record.ts'
import { Slots } from '../plan/slots.ts'
import { RISK_UNITS, riskUnits } from '../score/link.ts'
import type { CompiledModel, Term } from '../score/model.ts'
import { BudgetWatch, JUDGED_STEPS, type WorkBudget } from '../work-meter.ts'
import { planSlot, readerSlot } from './field-tables.ts'
import { CAPACITY, OUTPUT, type Places, TAIL_SIZE, type TableOptions, writeTables } from './write-tables.ts'
import * as layout from './layout.ts'
import { readerModule } from './module.ts'
import { type ReaderModule, instantiate } from './memory-image.ts'

/** How much input is looked at at once: little enough to stay in the processor's cache. */
const WINDOW = 262_144

/** The module of one deployment, and the parts of its memory that the engine reads and fills. */
export type ByteReader = Places &
  ReturnType<typeof viewsOf> & {
    readonly module: ReaderModule
    /** Says who watches the records of the next call. */
    readonly watchBy: (watched: WatchedBody | undefined) => void
    /** Has the result of every record whose risk is RISK_JUDGED, in their order. */
    readonly judge: ReadJudge
  }

/** Undefined where the runtime has no WebAssembly. Only tests want another window. */
export function makeByteReader(
  plan: Plan,
  model: CompiledModel,
  { window = WINDOW, ...options }: TableOptions & { readonly window?: number },
): ByteReader | undefined {
  // The slots that the engine sees are the reader's own; they exist as soon as its memory does.
  const own: { slots?: Slots; judge?: ReadJudge; watched?: WatchedBody | undefined } = {}
  const slotsInside = (): Slots => own.slots as Slots
  const stepsOfScales = plan.scales.map(({ steps }) => steps)
  const module = instantiate(readerModule(), {
    engine: {
      reconcile(scale) {
        const slots = slotsInside()
        slots.release()
        ;(own.judge as ReadJudge).spend(stepsOfScales[scale] ?? 0)
        reconcileScale(plan, scale, slots)
        return slots.faulty ? 0 : 1
      },
      points(term) {
        const { values, states } = slotsInside()
        const { steps, points } = model.terms[term] as Term
        ;(own.judge as ReadJudge).spend(steps)
        return points(values, states)
      },
      risk(score) {
        const units = riskUnits(model.probability(score))
        // As a whole number, which crosses into the reader without being wrapped.
        return Number.isNaN(units) ? -1 : units | 0
      },
      watch(units) {
        return own.watched?.scored(slotsInside(), units / RISK_UNITS) ?? 0
      },
      ignores: (names) => ((own.judge as ReadJudge).ignores(names) ? 1 : 0),
      judge: (idx, unrecognised, scales) =>
        (own.judge as ReadJudge).judge(idx, unrecognised, scales) ? 1 : 0,
    },
  })
  if (module === undefined) return undefined
  const places = writeTables(module, plan, model, options, window)
  const { buffer } = module.memory
  const slots = new Slots(
    plan.fields.length,
    plan.scales.length,
    new Float64Array(buffer, places.valuesAt + readerSlot(0) * 8, plan.fields.length),
    new Uint8Array(buffer, places.statesAt + readerSlot(0), plan.fields.length),
  )
  const judge = makeReadJudge(plan, new Assessor(plan, model, slots), buffer, places)
  own.slots = slots
  own.judge = judge
  const watchBy = (watched: WatchedBody | undefined): void => {
    own.watched = watched
    judge.watchBy(watched)
    module.watchIn.value = watched?.first ?? 0
  }
  return { ...places, ...viewsOf(buffer, places, window), module, judge, watchBy }
}

function viewsOf(buffer: ArrayBuffer, places: Places, window: number) {
  return {
    /** The window that input is put into. The byte after the input must be 0. */
    input: new Uint8Array(buffer, places.inputAt, window + layout.PADDING),
    /** What follows the risk in an answer. */
    tail: new Uint8Array(buffer, places.tailAt, TAIL_SIZE),
    output: new Uint8Array(buffer, places.outputAt, OUTPUT),
    starts: new Int32Array(buffer, places.startsAt, CAPACITY),
    ends: new Int32Array(buffer, places.endsAt, CAPACITY),
    outs: new Int32Array(buffer, places.outsAt, CAPACITY),
    idxs: new Float64Array(buffer, places.idxsAt, CAPACITY),
    risks: new Int16Array(buffer, places.risksAt, CAPACITY),
  }
}

interface ReadOptions extends AssessOptions {
  readonly budget?: WorkBudget | undefined
}

/** Sets what this call's answers are judged and printed with. */
export function prepare(
  reader: ByteReader,
  options: ReadOptions,
  tail: Uint8Array,
  watched: WatchedBody | undefined,
): void {
  reader.watchBy(watched)
  reader.judge.begin(options)
  reader.module.today.value = options.today
  reader.module.expect.value = layout.EXPECT_FIRST
  reader.tail.set(tail)
}

/** Copies the next part of the input into the window, and returns its length. */
export function fillWindow(reader: ByteReader, bytes: Uint8Array, offset: number): number {
  const length = Math.min(reader.input.length - layout.PADDING, bytes.length - offset)
  reader.input.set(bytes.subarray(offset, offset + length))
  // No token contains a 0, so the reader stops at the end of the input without comparing addresses.
  reader.input[length] = 0
  return length
}

type ReadJudge = ReturnType<typeof makeReadJudge>

/**
 * Judges records that the byte reader has read but cannot answer: from the slots that it has filled, which are those of the
 * assessor, and from the few values and names that it did not recognise. Nothing is parsed twice.
 */
function makeReadJudge(plan: Plan, assessor: Assessor, buffer: ArrayBuffer, places: Places) {
  /** Slot, start and end of each value or name that the reader did not recognise. */
  const unrecognised = new Int32Array(buffer, places.unrecognisedAt)
  const carried = new Uint16Array(buffer, places.carriedListAt, plan.scales.length)
  const memory = new Uint8Array(buffer)
  const { slots } = assessor
  let options: Pick<AssessOptions, 'today' | 'reportUnknown'>
  let results: RecordResult[]
  let taken = 0
  let watched: WatchedBody | undefined
  let watch = new BudgetWatch(undefined)
  const slotAt = (index: number): number =>
    unrecognised[(index * layout.UNRECOGNISED_SIZE + layout.U_SLOT) / 4] as number
  /** Only plain text is noted: one character per byte. */
  const textAt = (index: number): string => {
    const place = (index * layout.UNRECOGNISED_SIZE) / 4
    const end = unrecognised[place + layout.U_END / 4] as number
    let text = ''
    for (let byte = unrecognised[place + layout.U_START / 4] as number; byte < end; byte++)
      text += String.fromCharCode(memory[byte] as number)
    return text
  }
  /** A name that no field has and that the record writes twice. The list is short, so comparing all names is cheap. */
  const isRepeated = (name: string, index: number): boolean => {
    for (let other = 0; other < index; other++)
      if (slotAt(other) === layout.UNKNOWN_NAME && textAt(other) === name) return true
    return false
  }
  const forget = (): void => {
    results = []
    taken = 0
  }
  return {
    watchBy(next: WatchedBody | undefined): void {
      watched = next
    },
    begin(next: ReadOptions): void {
      options = next
      watch = new BudgetWatch(next.budget)
      forget()
    },
    /** Before so many steps. Where the budget stops the work it throws through the module, which clears what is left of a record. */
    spend(steps: number): void {
      watch.spend(steps)
    },
    /** Whether a record that has nothing unrecognised but these names is answered as if it did not have them. */
    ignores(names: number): boolean {
      for (let index = 0; index < names; index++) {
        const name = textAt(index)
        if (plan.slotByName.has(name) || isRepeated(name, index)) return false
        if (shouldReport(plan, name, options.reportUnknown)) return false
      }
      return true
    },
    /** Judges the record in the slots. False when the reference must look at its bytes. */
    judge(idx: number, unrecognisedCount: number, carriedCount: number): boolean {
      slots.release()
      for (let index = 0; index < carriedCount; index++) slots.carry(carried[index] as number)
      const unknown: string[] = []
      for (let index = 0; index < unrecognisedCount; index++) {
        const text = textAt(index)
        const slot = slotAt(index)
        // A string without escapes, a number, true or false.
        if (slot !== layout.UNKNOWN_NAME)
          fillField(plan, planSlot(slot), parseJson(text), slots, options.today)
        // A field whose name is too long for the reader.
        else if (plan.slotByName.has(text) || isRepeated(text, index)) return false
        else if (shouldReport(plan, text, options.reportUnknown)) unknown.push(text)
      }
      const result = assessor.assessSlots(idx, unknown)
      watched?.judged(slots, result)
      results.push({ ...result })
      watch.spend(JUDGED_STEPS + assessor.steps)
      return true
    },
    /** The judgements in their order, each once. */
    take(): RecordResult {
      const result = results[taken++] as RecordResult
      // The results of a request are not kept until the next one.
      // Stryker disable next-line ConditionalExpression: only memory is kept longer.
      if (taken === results.length) forget()
      return result
    },
  }
}
