/** The byte reader with the tables of one deployment in its memory, ready to be given windows of input. */
import { type AssessOptions, Assessor } from '../assess.ts'
import type { CompiledModel } from '../model.ts'
import type { Plan } from '../plan.ts'
import { RISK_UNITS, riskUnits } from '../round.ts'
import { settleScale } from '../settle.ts'
import { Slots } from '../slots.ts'
import { readerSlot, writeFields } from './field-tables.ts'
import { writeKeyHash } from './key-hash.ts'
import * as at from './layout.ts'
import { MemoryImage } from './memory-image.ts'
import { writeAssumed, writeScales, writeTerms } from './model-tables.ts'
import { readerModule } from './module.ts'
import { ReadJudge } from './read-judge.ts'
import type { Term } from '../terms/term.ts'
import { type WasmMemory, instantiate } from './web-assembly.ts'

/** How much input is looked at at once: little enough to stay in the processor's cache. */
const WINDOW = 262_144
const CAPACITY = 4_096
const OUTPUT = 131_072
const TAIL_SIZE = 24

export interface Machine {
  /** The window that input is put into, and its address. The byte behind the input must be 0. */
  readonly input: Uint8Array
  readonly inputAt: number
  readonly header: Int32Array
  /** Has the outcome of every record whose risk is RISK_JUDGED, in their order. */
  readonly judge: ReadJudge
  /** What stands behind the risk in an answer. */
  readonly tail: Uint8Array
  readonly output: Uint8Array
  readonly outputAt: number
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly outs: Int32Array
  readonly idxs: Float64Array
  readonly risks: Int16Array
  readArray(at: number, end: number): number
  readLines(at: number, end: number, isLast: number): number
}

export interface MachineOptions {
  /** The risk of a unit count, as the answers print it. */
  printRisk(risk: number): string
  readonly maxKeys: number
  /** Bytes looked at at once; only tests want another number. */
  readonly window?: number
}

/** Undefined where the runtime has no WebAssembly. */
export function makeMachine(plan: Plan, model: CompiledModel, options: MachineOptions): Machine | undefined {
  // The slots that the engine sees are the reader's own; they exist as soon as its memory does.
  const own: { slots?: Slots; judge?: ReadJudge } = {}
  const slotsInside = (): Slots => own.slots as Slots
  const exports = instantiate(readerModule(), {
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
      judge: (idx) => ((own.judge as ReadJudge).judge(idx) ? 1 : 0),
    },
  })
  if (exports === undefined) return undefined
  const memory = exports['memory'] as WasmMemory
  const window = options.window ?? WINDOW
  const places = lay(memory, plan, model, options, window)
  const { buffer } = memory
  const header = new Int32Array(buffer, at.HEADER, at.HEADER_SIZE / 4)
  const slots = new Slots(
    plan.fields.length,
    plan.scales.length,
    new Float64Array(buffer, places.values + readerSlot(0) * 8, plan.fields.length),
    new Uint8Array(buffer, places.states + readerSlot(0), plan.fields.length),
  )
  const judge = new ReadJudge(plan, new Assessor(plan, model, slots), {
    header,
    left: new Int32Array(buffer, places.left, (at.LEFT_MOST * at.LEFT_SIZE) / 4),
    carried: new Uint16Array(buffer, places.carried, plan.scales.length),
    memory: new Uint8Array(buffer),
  })
  own.slots = slots
  own.judge = judge
  return {
    input: new Uint8Array(buffer, places.input, window + at.PADDING),
    inputAt: places.input,
    header,
    judge,
    tail: new Uint8Array(buffer, at.HEADER + at.H_TAIL, TAIL_SIZE),
    output: new Uint8Array(buffer, places.output, OUTPUT),
    outputAt: places.output,
    starts: new Int32Array(buffer, places.starts, CAPACITY),
    ends: new Int32Array(buffer, places.ends, CAPACITY),
    outs: new Int32Array(buffer, places.outs, CAPACITY),
    idxs: new Float64Array(buffer, places.idxs, CAPACITY),
    risks: new Int16Array(buffer, places.risks, CAPACITY),
    readArray: exports['readArray'] as Machine['readArray'],
    readLines: exports['readLines'] as Machine['readLines'],
  }
}

/** Tells the reader what this call's answers are judged and printed with. */
export function prepare(machine: Machine, options: AssessOptions, tail: Uint8Array): void {
  const { header } = machine
  machine.judge.begin(options)
  header[at.H_TODAY / 4] = options.today
  header[at.H_EXPECT / 4] = at.EXPECT_FIRST
  machine.tail.set(tail)
}

/** Puts the next of the input into the window, and says how many bytes it took. */
export function fillWindow(machine: Machine, bytes: Uint8Array, offset: number): number {
  const length = Math.min(machine.input.length - at.PADDING, bytes.length - offset)
  machine.input.set(offset === 0 && length === bytes.length ? bytes : bytes.subarray(offset, offset + length))
  // Nothing that the reader takes holds a 0, so it ends at the end of the input without looking for it.
  machine.input[length] = 0
  return length
}

type Places = Readonly<
  Record<
    | 'values'
    | 'states'
    | 'carried'
    | 'left'
    | 'input'
    | 'output'
    | 'starts'
    | 'ends'
    | 'outs'
    | 'idxs'
    | 'risks',
    number
  >
>

/** Writes every table, and the header that says where they are. */
function lay(
  memory: WasmMemory,
  plan: Plan,
  model: CompiledModel,
  options: MachineOptions,
  window: number,
): Places {
  const image = new MemoryImage(memory, at.HEADER)
  image.take(at.HEADER_SIZE)
  const count = plan.fields.length + 1
  const { fields, keys } = writeFields(image, plan)
  const hash = writeKeyHash(image, ['idx', ...plan.fields.map(({ name }) => name)])
  // The states of the slots, whether each was seen, and how many fields of each scale.
  const marks = inSteps(count * 2 + plan.scales.length)
  const places: Places = {
    values: image.take(count * 8),
    states: image.take(marks),
    carried: image.take(plan.scales.length * 2),
    left: image.take(at.LEFT_MOST * at.LEFT_SIZE),
    starts: image.take(CAPACITY * 4),
    ends: image.take(CAPACITY * 4),
    outs: image.take(CAPACITY * 4),
    idxs: image.take(CAPACITY * 8),
    risks: image.take(CAPACITY * 2),
    output: image.take(OUTPUT),
    input: image.take(window + at.PADDING),
  }
  const header: readonly (readonly [number, number])[] = [
    [at.H_FIELDS, fields],
    [at.H_KEYS, keys],
    [at.H_HASH, hash.table],
    [at.H_HASH_MASK, hash.mask],
    [at.H_SCALES, writeScales(image, plan)],
    [at.H_REQUIRED, image.takeIntegers(model.required.map(readerSlot))],
    [at.H_REQUIRED_COUNT, model.required.length],
    [at.H_ASSUMED, writeAssumed(image, model)],
    [at.H_ASSUMED_COUNT, model.assumed.length],
    [at.H_TERMS, writeTerms(image, plan, model)],
    [at.H_TERM_COUNT, model.terms.length],
    [at.H_STATES, places.states],
    [at.H_SEEN, places.states + count],
    [at.H_VALUES, places.values],
    [at.H_STATES_END, places.states + marks],
    [at.H_CARRIED, places.states + count * 2],
    [at.H_CARRIED_LIST, places.carried],
    [at.H_LEFT, places.left],
    [at.H_TEXTS, writeTexts(image, options)],
    [at.H_STARTS, places.starts],
    [at.H_ENDS, places.ends],
    [at.H_OUTS, places.outs],
    [at.H_IDXS, places.idxs],
    [at.H_RISKS, places.risks],
    [at.H_CAPACITY, CAPACITY],
    [at.H_OUTPUT, places.output],
    [at.H_OUTPUT_END, places.output + OUTPUT],
    [at.H_MAX_KEYS, Math.min(options.maxKeys, 0x7fffffff)],
  ]
  for (const [place, value] of header) image.view.setInt32(at.HEADER + place, value, true)
  image.write(at.HEADER + at.H_HEAD, new TextEncoder().encode('{"idx": ,"risk":'))
  return places
}

/** The reader clears so many bytes at once. */
const CLEARED_BYTES = 32

function inSteps(bytes: number): number {
  return Math.ceil(bytes / CLEARED_BYTES) * CLEARED_BYTES
}

/** Every risk as the answers print it. */
function writeTexts(image: MemoryImage, options: MachineOptions): number {
  const texts = image.take((RISK_UNITS + 1) * at.TEXT_SIZE)
  const encoder = new TextEncoder()
  for (let units = 0; units <= RISK_UNITS; units++) {
    const text = encoder.encode(options.printRisk(units / RISK_UNITS))
    image.write(texts + units * at.TEXT_SIZE, text)
    image.view.setUint8(texts + units * at.TEXT_SIZE + at.TEXT_LENGTH, text.length)
  }
  return texts
}
