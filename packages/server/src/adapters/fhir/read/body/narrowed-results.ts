/**
 * Why a result of a search does not hold all resources of a type, as its own address says: the server writes there what it has searched
 * for. Only what is known to leave out nothing is harmless: whose the resources are, their order and form, and the first page.
 */
import { type Json, inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../../remote/elements.ts'
import { relationOf } from '../../../../remote/search-pages.ts'
import type { Moment } from '../moment.ts'

export interface Narrowed {
  /** Undefined for every type. */
  readonly type: string | undefined
  /** Types of which it holds all the same, where every type is meant. */
  readonly but: readonly string[]
  /** The day from which on it holds all Encounters; undefined where nothing says that it holds all of some time. */
  readonly from: Moment | undefined
}

const HARMLESS = new Set(
  [
    'patient subject _bundletype _contained _containedType _count _format _include _pretty _revinclude _sort _total',
    '_type',
  ].flatMap((line) => line.split(' ')),
)
/** What is harmless with a value that asks for everything from the beginning. */
const FROM_THE_START: Readonly<Record<string, readonly string[]>> = {
  _summary: ['false'],
  _offset: ['0'],
  _getpagesoffset: ['0'],
  _page: ['0', '1'],
  page: ['0', '1'],
}

export function narrowedBy(
  { link }: Json,
  momentOf: (text: unknown) => Moment | undefined,
): readonly Narrowed[] {
  return allOf(link)
    .filter((each) => relationOf(each) === 'self')
    .flatMap((each) => narrowedIn(textOf(inside(each, 'url')) ?? '', momentOf))
}

function narrowedIn(url: string, momentOf: (text: unknown) => Moment | undefined): readonly Narrowed[] {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const { type, isPart } = searchedIn(path)
  // Some servers part parameters by semicolons.
  const asked = [...new URLSearchParams(query.replaceAll(';', '&'))]
  const narrowing = asked.filter(([name, value]) => isNarrowing(name.split(/[:.]/)[0] ?? '', value))
  if (isPart || narrowing.length > 0)
    return [{ type, but: [], from: dayIn(type, isPart, narrowing, momentOf) }]
  const but = asked.flatMap(([name, value]) => (name === '_type' ? value.split(',') : []))
  return but.length > 0 && type === undefined ? [{ type, but, from: undefined }] : []
}

/** The type that an address searches; every type for operations and pages. `isPart`: it does so for an Encounter, or for changes only. */
function searchedIn(path: string): { readonly type: string | undefined; readonly isPart: boolean } {
  const steps = path.split('/').filter((step) => step !== '')
  const last = steps.at(-1) ?? ''
  if (last === '_history') return { type: undefined, isPart: true }
  if (last === '$everything')
    return {
      type: undefined,
      isPart: !steps.slice(-3).some((step) => step === 'Patient' || step === 'Group'),
    }
  const searched = last === '_search' || last.startsWith('$') ? steps.at(-2) : last
  return { type: /^[A-Z]\w+$/.test(searched ?? '') ? searched : undefined, isPart: false }
}

function isNarrowing(name: string, value: string): boolean {
  return !HARMLESS.has(name) && FROM_THE_START[name]?.includes(value) !== true
}

/** The day from which on a search by date alone holds all Encounters: the last of several. */
function dayIn(
  type: string | undefined,
  isPart: boolean,
  narrowing: readonly (readonly [name: string, value: string])[],
  momentOf: (text: unknown) => Moment | undefined,
): Moment | undefined {
  const days = narrowing.map(([name, value]) => {
    const [, start] = /^(?:ge|gt)(.+)$/.exec(value) ?? []
    const moment = type === 'Encounter' && name === 'date' ? momentOf(start) : undefined
    return moment?.precision === 'day' ? moment : undefined
  })
  if (isPart || days.length === 0) return undefined
  return days.reduce((last, day) => (last && day && last.day > day.day ? last : last && day))
}
