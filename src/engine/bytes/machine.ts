/** The byte reader with the tables of one deployment in its memory. It reads input window by window. */
import { type AssessOptions, Assessor } from '../assess.ts'
import type { CompiledModel } from '../score/model.ts'
import type { Plan } from '../plan.ts'
import { riskUnits } from '../score/round.ts'
import { settleScale } from '../judge/settle.ts'
import { Slots } from '../read/slots.ts'
import { readerSlot } from './field-tables.ts'
import { CAPACITY, OUTPUT, type Places, TAIL_SIZE, type TableOptions, writeTables } from './write-tables.ts'
import * as at from './layout.ts'
import { readerModule } from './module.ts'
import { type ReadJudge, makeReadJudge } from './read-judge.ts'
import type { Term } from '../score/term.ts'
import { type ReaderModule, instantiate } from './memory-image.ts'

/** How much input is looked at at once: little enough to stay in the processor's cache. */
const WINDOW = 262_144

/** The module of one deployment, and the parts of its memory that the engine reads and fills. */
export type Machine = Places &
  ReturnType<typeof viewsOf> & {
    readonly reader: ReaderModule
    /** Has the outcome of every record whose risk is RISK_JUDGED, in their order. */
    readonly judge: ReadJudge
  }

export interface MachineOptions extends TableOptions {
  /** Bytes looked at at once; only tests want another number. */
  readonly window?: number
}

/** Undefined where the runtime has no WebAssembly. */
export function makeMachine(plan: Plan, model: CompiledModel, options: MachineOptions): Machine | undefined {
  // The slots that the engine sees are the reader's own; they exist as soon as its memory does.
  const own: { slots?: Slots; judge?: ReadJudge } = {}
  const slotsInside = (): Slots => own.slots as Slots
  const reader = instantiate(readerModule(), {
    engine: {
      settle(scale) {
        const slots = slotsInside()
        slots.release()
        settleScale(plan, scale, slots)
        return slots.faulty ? 0 : 1
      },
      points(term) {
        const { values, states } = slotsInside()
        return (model.terms[term] as Term).points(values, states)
      },
      risk(score) {
        const units = riskUnits(model.probability(score))
        // As a whole number, which crosses into the reader without being wrapped.
        return Number.isNaN(units) ? -1 : units | 0
      },
      judge: (idx, odd, scales) => ((own.judge as ReadJudge).judge(idx, odd, scales) ? 1 : 0),
    },
  })
  if (reader === undefined) return undefined
  const window = options.window ?? WINDOW
  const places = writeTables(reader, plan, model, options, window)
  const { buffer } = reader.memory
  const slots = new Slots(
    plan.fields.length,
    plan.scales.length,
    new Float64Array(buffer, places.valuesAt + readerSlot(0) * 8, plan.fields.length),
    new Uint8Array(buffer, places.statesAt + readerSlot(0), plan.fields.length),
  )
  const judge = makeReadJudge(plan, new Assessor(plan, model, slots), {
    odd: new Int32Array(buffer, places.oddAt, (at.ODD_MOST * at.ODD_SIZE) / 4),
    carried: new Uint16Array(buffer, places.carriedListAt, plan.scales.length),
    memory: new Uint8Array(buffer),
  })
  own.slots = slots
  own.judge = judge
  return { ...places, ...viewsOf(buffer, places, window), reader, judge }
}

function viewsOf(buffer: ArrayBuffer, places: Places, window: number) {
  return {
    /** The window that input is put into. The byte after the input must be 0. */
    input: new Uint8Array(buffer, places.inputAt, window + at.PADDING),
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

/** Sets what this call's answers are judged and printed with. */
export function prepare(machine: Machine, options: AssessOptions, tail: Uint8Array): void {
  machine.judge.begin(options)
  machine.reader.today.value = options.today
  machine.reader.expect.value = at.EXPECT_FIRST
  machine.tail.set(tail)
}

/** Copies the next part of the input into the window, and returns its length. */
export function fillWindow(machine: Machine, bytes: Uint8Array, offset: number): number {
  const length = Math.min(machine.input.length - at.PADDING, bytes.length - offset)
  machine.input.set(offset === 0 && length === bytes.length ? bytes : bytes.subarray(offset, offset + length))
  // No token contains a 0, so the reader stops at the end of the input without comparing addresses.
  machine.input[length] = 0
  return length
}
