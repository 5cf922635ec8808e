/** Writes everything that the byte reader needs into its memory, with a header of addresses. */
import type { CompiledModel } from '../score/model.ts'
import type { Plan } from '../plan.ts'
import { RISK_UNITS } from '../score/round.ts'
import { readerSlot, writeFields, writeKeyHash } from './field-tables.ts'
import * as at from './layout.ts'
import { MemoryImage, type WasmMemory } from './memory-image.ts'
import { writeAssumed, writeScales, writeTerms } from './model-tables.ts'

/** Records that the reader notes at once, and room for their answers. */
export const CAPACITY = 4_096
export const OUTPUT = 131_072

export interface TableOptions {
  /** The risk of a unit count, as the answers print it. */
  printRisk(risk: number): string
  readonly maxKeys: number
}

export type Places = Readonly<
  Record<
    | 'values'
    | 'states'
    | 'carried'
    | 'odd'
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

export function writeTables(
  memory: WasmMemory,
  plan: Plan,
  model: CompiledModel,
  options: TableOptions,
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
    odd: image.take(at.ODD_MOST * at.ODD_SIZE),
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
    [at.H_ODD, places.odd],
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
function writeTexts(image: MemoryImage, options: TableOptions): number {
  const texts = image.take((RISK_UNITS + 1) * at.TEXT_SIZE)
  const encoder = new TextEncoder()
  for (let units = 0; units <= RISK_UNITS; units++) {
    const text = encoder.encode(options.printRisk(units / RISK_UNITS))
    image.write(texts + units * at.TEXT_SIZE, text)
    image.view.setUint8(texts + units * at.TEXT_SIZE + at.TEXT_LENGTH, text.length)
  }
  return texts
}
