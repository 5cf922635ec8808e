/** Writes everything that the byte reader needs into its memory, with a header of addresses. */
import type { CompiledModel } from '../score/model.ts'
import type { Plan } from '../plan/plan.ts'
import { RISK_UNITS } from '../score/link.ts'
import { readerSlot, takeKeyHash, writeFields } from './field-tables.ts'
import * as layout from './layout.ts'
import { MemoryImage, type ReaderModule } from './memory-image.ts'
import { writeAssumed, writeScales, writeTerms } from './model-tables.ts'

/** Records that the reader notes at once, and room for their answers. */
export const CAPACITY = 4_096
export const OUTPUT = 131_072
/** What stands before the risk in an answer, and room for what stands after it. */
const HEAD = new TextEncoder().encode('{"idx": ,"risk":')
export const TAIL_SIZE = 24
/** The reader clears this many bytes at once. */
const CLEARED_BYTES = 32

export interface TableOptions {
  /** The risk of a unit count, as the answers print it. */
  printRisk(risk: number): string
  readonly maxKeys: number
}

/** Where the parts lie that the engine reads or fills later. */
export type Places = ReturnType<typeof takePlaces> & { readonly inputAt: number }

export function writeTables(
  module: ReaderModule,
  plan: Plan,
  model: CompiledModel,
  options: TableOptions,
  window: number,
): Places {
  const image = new MemoryImage(module.memory)
  const count = plan.fields.length + 1
  // The states of the slots, whether each was seen, and how many fields of each scale.
  const marks = Math.ceil((count * 2 + plan.scales.length) / CLEARED_BYTES) * CLEARED_BYTES
  const places = takePlaces(image, count, marks, plan.scales.length)
  const headAt = image.take(HEAD.length)
  image.write(headAt, HEAD)
  const settings = {
    ...places,
    ...writeFields(image, plan),
    ...takeKeyHash(image, count),
    scalesAt: writeScales(image, plan),
    requiredAt: image.takeIntegers(model.required.map(readerSlot)),
    requiredCount: model.required.length,
    assumedAt: writeAssumed(image, model),
    assumedCount: model.assumed.length,
    termsAt: writeTerms(image, plan, model),
    termCount: model.terms.length,
    seenAt: places.statesAt + count,
    carriedAt: places.statesAt + count * 2,
    statesEnd: places.statesAt + marks,
    textsAt: writeTexts(image, options),
    headAt,
    capacity: CAPACITY,
    outputEnd: places.outputAt + OUTPUT,
    maxKeys: Math.min(options.maxKeys, 0x7fffffff),
  }
  const globals = module as unknown as Readonly<Record<keyof typeof settings, { value: number }>>
  for (const [name, value] of Object.entries(settings)) globals[name as keyof typeof settings].value = value
  for (let slot = 0; slot < count; slot++) module.enterKey(slot)
  return { ...places, inputAt: image.take(window + layout.PADDING) }
}

function takePlaces(image: MemoryImage, slots: number, marks: number, scales: number) {
  return {
    valuesAt: image.take(slots * 8),
    statesAt: image.take(marks),
    carriedListAt: image.take(scales * 2),
    unrecognisedAt: image.take(layout.MOST_UNRECOGNISED * layout.UNRECOGNISED_SIZE),
    startsAt: image.take(CAPACITY * 4),
    endsAt: image.take(CAPACITY * 4),
    outsAt: image.take(CAPACITY * 4),
    idxsAt: image.take(CAPACITY * 8),
    risksAt: image.take(CAPACITY * 2),
    tailAt: image.take(TAIL_SIZE),
    outputAt: image.take(OUTPUT),
  }
}

/** Every risk as the answers print it. */
function writeTexts(image: MemoryImage, options: TableOptions): number {
  const encoder = new TextEncoder()
  return image.table([...Array(RISK_UNITS + 1).keys()], layout.TEXT_SIZE, (place, units) => {
    const text = encoder.encode(options.printRisk(units / RISK_UNITS))
    image.write(place, text)
    image.u8(place + layout.TEXT_LENGTH, text.length)
  })
}
