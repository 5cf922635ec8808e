/** Whole bodies: records in an array or on lines, and then perhaps bytes changed, cut, moved or doubled. */
import type { Pair } from './deployments.ts'
import type { Random } from '../../../../test/support/random.ts'
import { pickLayout, recordText } from './records.ts'

export interface Body {
  readonly bytes: Uint8Array
  readonly records: number
  readonly isLines: boolean
}

const MAX_RECORDS = 30
const STRANGE_ELEMENTS = [
  '1',
  'null',
  '"x"',
  '[]',
  '[{"idx":1}]',
  '{}',
  '[[1],{"a":1,"a":2}]',
  '"],["',
  '{"idx":1}',
] as const
const STRANGE_BYTES = [
  0x00, 0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d, 0x80, 0xc3, 0xef, 0xff, 0x0a, 0x20, 0x31,
]
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export function makeBody(random: Random, pair: Pair): Body {
  const isLines = random.chance(0.3)
  const layout = pickLayout(random, isLines)
  const records = random.below(MAX_RECORDS)
  let idx = random.below(1_000)
  const texts: string[] = []
  for (let position = 0; position < records; position++) {
    idx += random.chance(0.003) ? -random.below(3) : 1
    const isStrange = random.chance(0.005)
    texts.push(isStrange ? random.pick(STRANGE_ELEMENTS) : recordText(random, pair, idx, layout))
  }
  const text = isLines ? lines(random, texts) : array(random, texts, layout.afterComma)
  const whole = new TextEncoder().encode(text)
  return { bytes: random.chance(0.2) ? mutated(random, whole) : whole, records, isLines }
}

function array(random: Random, texts: readonly string[], afterComma: string): string {
  const body = `[${texts.join(`,${afterComma}`)}]`
  return random.chance(0.02)
    ? random.pick([` ${body}\n`, `${body}x`, `${body},`, `\t${body}`, body + body])
    : body
}

function lines(random: Random, texts: readonly string[]): string {
  const separator = random.chance(0.1) ? random.pick(['\r\n', '\n\n', ' \n\t', '\n \n']) : '\n'
  return texts.join(separator) + (random.chance(0.8) ? '\n' : '')
}

function mutated(random: Random, bytes: Uint8Array): Uint8Array {
  let current = [...bytes]
  for (let times = 1 + random.below(3); times > 0 && current.length > 0; times--) {
    const place = random.below(current.length)
    const length = 1 + random.below(20)
    switch (random.below(7)) {
      case 0:
        current[place] = random.pick(STRANGE_BYTES)
        break
      case 1:
        current.splice(place, 0, random.pick(STRANGE_BYTES))
        break
      case 2:
        current.splice(place, random.chance(0.5) ? 1 : length)
        break
      case 3:
        current = current.slice(0, place)
        break
      case 4:
        current.splice(place, 0, ...current.slice(place, place + length))
        break
      case 5:
        current.splice(random.chance(0.5) ? 0 : place, 0, ...BYTE_ORDER_MARK)
        break
      default:
        current[place] = random.below(256)
    }
  }
  return Uint8Array.from(current)
}
