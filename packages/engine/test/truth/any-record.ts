/** Arbitrary valid and invalid records, with names and values of the catalogue and similar ones. */
import { fc } from '../../../../test/support/fast-check.ts'
import { type Catalog, findModel } from '@patient-risk/catalog'
import { Random } from '../../../../test/support/random.ts'
import { goodRecord } from './good-record.ts'

/** A record as names and values in order; a name may stand twice. */
export type Entries = readonly (readonly [name: string, value: unknown])[]

const UNUSUAL_NAMES = [
  'ward',
  'AGE',
  'Sex',
  'barthel_x',
  'mna_',
  '__proto__',
  'constructor',
  'toString',
  '0',
  '',
  'ü\u2028',
]
const UNUSUAL_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  '',
  '75',
  'F',
  'f',
  'folded',
  'lines',
  '0-4',
  '1-5',
  -1,
  -0,
  0,
  0.5,
  1,
  2,
  3,
  5,
  10,
  15,
  16.5,
  20,
  40,
  70,
  84,
  100,
  111,
  121,
  1e15,
  9007199254740993,
  '29-02-2024',
  '31-02-2024',
  '01-01-2099',
  [],
  {},
  [1],
  { a: { b: 1 } },
]

export function anyRecord(catalog: Catalog, modelId: string): fc.Arbitrary<Entries> {
  const model = findModel(catalog, modelId)?.definition
  if (model === undefined) throw new Error(`there is no ${modelId}`)
  const used = Object.keys(model.inputs)
  const scales = [
    ...new Set([
      'barthel',
      'mna',
      'mnaSf',
      'cirs',
      'charlson',
      'cfs',
      ...used.flatMap((name) => name.split('_')[0] ?? []),
    ]),
  ]
  // What a figure may be depends on the coding, which the oracle of blocking problems knows for items only.
  const figures = /^(cirs|charlson)_(total|severityIndex|comorbidityIndex|ageAdjusted)$/
  const near = [...catalog.domains.keys()].filter(
    (name) => scales.includes(name.split('_')[0] ?? '') && !figures.test(name),
  )
  const name = fc.oneof(fc.constantFrom(...used), fc.constantFrom(...near), fc.constantFrom(...UNUSUAL_NAMES))
  const value = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...UNUSUAL_VALUES) },
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
  )
  const idx = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: -3, max: 9 }) },
    fc.constantFrom<unknown>(null, '1', 1.5, -0, true),
  )
  const changes = fc.array(fc.tuple(name, value), { maxLength: 6 })
  const dropped = fc.array(fc.constantFrom(...used), { maxLength: 1 })
  return fc
    .tuple(
      fc.nat(),
      idx,
      changes,
      fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, dropped),
      fc.boolean(),
    )
    .map(([seed, ownIdx, changed, left, repeats]) => {
      const sound = goodRecord(catalog, model, 0, new Random(seed)).map(([key, text]): [string, unknown] => [
        JSON.parse(key) as string,
        JSON.parse(text),
      ])
      const kept = sound.filter(([field]) => field !== 'idx' && !left.includes(field))
      const names = new Set(changed.map(([field]) => field))
      // Mostly a change replaces what was there; now and then the name then stands twice.
      const rest = repeats && seed % 5 === 0 ? kept : kept.filter(([field]) => !names.has(field))
      const once = repeats && seed % 5 === 0 ? changed : [...new Map(changed)]
      return [['idx', ownIdx] as const, ...rest, ...once]
    })
}

export function anyRecords(catalog: Catalog, modelId: string): fc.Arbitrary<readonly Entries[]> {
  return fc.array(anyRecord(catalog, modelId), { maxLength: 12 })
}

export interface Style {
  /** Another order of the keys; 0 for the order given. */
  readonly shuffle?: number
  readonly space?: string
  /** Which characters of names and strings are written as escapes; 0 for none. */
  readonly escapes?: number
}

/** The record as JSON text, in a style of writing that means the same. */
export function spell(record: Entries, { shuffle = 0, space = '', escapes = 0 }: Style = {}): string {
  const random = new Random(shuffle + escapes)
  const entries = [...record]
  if (shuffle > 0) {
    for (let at = entries.length - 1; at > 0; at--) {
      const other = random.below(at + 1)
      ;[entries[at], entries[other]] = [entries[other] as Entries[number], entries[at] as Entries[number]]
    }
  }
  const word = (value: string): string => (escapes === 0 ? JSON.stringify(value) : escaped(value, random))
  const parts = entries.map(
    ([name, value]) =>
      `${word(name)}${space}:${space}${typeof value === 'string' ? word(value) : numberText(value)}`,
  )
  return `{${space}${parts.join(`${space},${space}`)}${space}}`
}

/** JSON.stringify writes −0 as 0; a caller may write either. */
function numberText(value: unknown): string {
  return Object.is(value, -0) ? '-0' : JSON.stringify(value)
}

function escaped(value: string, random: Random): string {
  let text = '"'
  for (let at = 0; at < value.length; at++) {
    const plain = JSON.stringify(value.charAt(at)).slice(1, -1)
    text += random.chance(0.5) ? `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}` : plain
  }
  return `${text}"`
}
