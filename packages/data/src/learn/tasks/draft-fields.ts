/** Draft fields for features that the catalogue does not have: type, range and codes from the model file and from rows of data. */
import type { Catalog } from '@patient-risk/catalog'
import { readLabelled } from '../data/read-labelled.ts'
import { MISSING_TEXTS, TODO } from '../data/specification.ts'
import { decimalIn } from '../import/coefficients.ts'
import type { SourceFeature } from '../import/source.ts'

export interface DraftField {
  readonly name: string
  /** In the form of `fields.json`, with texts to replace. */
  readonly definition: object
  /** Whether some of the rows have no value. */
  readonly hasGaps: boolean
}

/** More texts than this are not codes, and are not listed. */
const MOST_CODES = 50
const NO_VALUE = [...MISSING_TEXTS, 'nan', 'NaN']
const YES_NO = ['0', '1', '0.0', '1.0', 'true', 'false', 'True', 'False']

/** By the name of the feature. Without rows, the ends of a number are left open unless the file says them. */
export async function draftFields(
  features: readonly SourceFeature[],
  { domains }: Catalog,
  rows: string | undefined,
): Promise<ReadonlyMap<string, DraftField>> {
  const seen = new Map(features.map(({ name }) => [name, newSeen()]))
  const data = { outcome: { column: null }, missing: [...NO_VALUE] }
  const source = { data, fields: [], domains: new Map() }
  if (rows !== undefined && features.length > 0)
    await readLabelled({ ...source, path: rows, extra: [...seen.keys()] }, ({ text }) => {
      for (const [name, own] of seen) own.add(text(name))
    })
  const taken = new Set(domains.keys())
  return new Map(
    features.map((feature) => {
      const own = seen.get(feature.name) ?? newSeen()
      const name = freeName(feature.name, taken)
      taken.add(name)
      const definition = { ...kindOf(feature, own), meaning: `${TODO}: what ${feature.name} is` }
      return [feature.name, { name, definition, hasGaps: own.gaps > 0 }]
    }),
  )
}

/** LAB_CRP becomes labCrp, the form that fields have. */
function freeName(feature: string, taken: ReadonlySet<string>): string {
  const words = feature.match(/[A-Za-z0-9]+/g) ?? []
  const isPlain = /^[a-z][A-Za-z0-9]*$/.test(feature)
  const joined = words
    .map((word) => word.toLowerCase())
    .map((word, at) => (at === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join('')
  const wanted = isPlain ? feature : joined.replace(/^(?=\d|$)/, 'f')
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`
  return name
}

function kindOf({ kind, codes, from, to }: SourceFeature, own: Seen): object {
  if (codes !== undefined) return codeField(codes)
  const isNumeric = own.isNumeric && kind !== 'code'
  if (own.texts.size > 0 && [...own.texts].every((text) => YES_NO.includes(text)) && kind !== 'code')
    return { type: 'yesNo' }
  if (!isNumeric && own.texts.size > 0)
    return codeField(own.texts.size > MOST_CODES ? [] : [...own.texts].sort())
  const step = 10 ** Math.floor(Math.log10(own.high - own.low || Math.abs(own.high) || 1))
  const low = own.low === Infinity ? `${TODO}: the lowest value` : outward(own.low, step, Math.floor)
  const high = own.low === Infinity ? `${TODO}: the highest value` : outward(own.high, step, Math.ceil)
  return { type: own.isWhole ? 'integer' : 'decimal', from: from ?? low, to: to ?? high }
}

function codeField(codes: readonly string[]): object {
  const listed = codes.length > 0 ? codes : [`${TODO}: each code`]
  return { type: 'code', values: Object.fromEntries(listed.map((code) => [code, `${TODO}: what it means`])) }
}

/** The exact extreme may identify a patient, so that the draft goes to the next round number. */
function outward(value: number, step: number, round: (value: number) => number): number {
  return Number((round(value / step) * step).toPrecision(12))
}

interface Seen {
  /** One more than codes can be, at most. */
  readonly texts: Set<string>
  gaps: number
  low: number
  high: number
  isNumeric: boolean
  isWhole: boolean
  readonly add: (text: string) => void
}

function newSeen(): Seen {
  const seen: Seen = {
    texts: new Set(),
    gaps: 0,
    low: Infinity,
    high: -Infinity,
    isNumeric: true,
    isWhole: true,
    add(text) {
      if (text === 'missing') {
        seen.gaps++
        return
      }
      if (seen.texts.size <= MOST_CODES) seen.texts.add(text)
      const number = decimalIn(text)
      if (Number.isNaN(number)) seen.isNumeric = false
      else {
        seen.low = Math.min(seen.low, number)
        seen.high = Math.max(seen.high, number)
        seen.isWhole &&= Number.isInteger(number)
      }
    },
  }
  return seen
}
