/** Visits that look like one visit: they have one number, or one period, or overlap. */
import type { Entry } from '../body/entry.ts'
import { identifiersOf, systemOf, valueOf } from '../body/identifiers.ts'
import type { Moment } from '../moment.ts'
import type { Visit } from './visit.ts'

/** A number without its system may be the same number in any system. */
export function sharingNumbers(visits: readonly Visit[]): readonly Entry[] {
  const numbered = visits.flatMap(({ entry }) =>
    identifiersOf(entry.resource).map((number) => ({
      entry,
      system: systemOf(number),
      value: valueOf(number),
    })),
  )
  return [...Map.groupBy(numbered, ({ value }) => value).values()].flatMap((alike) => {
    const hasBare = alike.some(({ system }) => system === '')
    const groups = hasBare ? [alike] : [...Map.groupBy(alike, ({ system }) => system).values()]
    return groups.flatMap((group) => {
      const entries = new Set(group.map(({ entry }) => entry))
      return entries.size > 1 ? [...entries] : []
    })
  })
}

/** One period to the minute as a stay and as an emergency visit. One that leads to the other ends before it. */
export function inTwoKinds(visits: readonly Visit[]): readonly Entry[] {
  const timed = visits.filter(
    ({ kind, start, end }) =>
      ['inpatient', 'emergency'].includes(kind) && start?.instant !== undefined && end?.instant !== undefined,
  )
  const byPeriod = Map.groupBy(timed, ({ start, end }) => `${String(start?.instant)} ${String(end?.instant)}`)
  return [...byPeriod.values()].flatMap((alike) =>
    new Set(alike.map(({ kind }) => kind)).size > 1 ? alike.map(({ entry }) => entry) : [],
  )
}

/** The visits that begin before an earlier one has ended, with that one. In one pass, because there may be a hundred thousand. */
export function overlapping(visits: readonly Visit[]): readonly Entry[] {
  const dated = visits.flatMap(({ entry, start, end }) =>
    start === undefined ? [] : [{ entry, start, end }],
  )
  const byDay = Map.groupBy(dated, ({ start }) => start.day)
  const found = [...byDay.values()].flatMap((ofDay) => (ofDay.length > 1 ? alikeOn(ofDay) : []))
  const sorted = dated.sort((a, b) => compare(a.start, b.start))
  let last: { readonly entry: Entry; readonly end: Moment } | undefined
  for (const { entry, start, end } of sorted) {
    if (last !== undefined && endsAfter(last.end, start)) found.push(last.entry, entry)
    if (end !== undefined && (last === undefined || compare(end, last.end) > 0)) last = { entry, end }
  }
  return found
}

interface Dated {
  readonly entry: Entry
  readonly start: Moment
  readonly end: Moment | undefined
}

/** Of the visits that begin on one day, those that no time tells apart: one of them has none, or two begin at the same instant. */
function alikeOn(visits: readonly Dated[]): readonly Entry[] {
  if (visits.some(({ start }) => start.instant === undefined)) return visits.map(({ entry }) => entry)
  const byStart = Map.groupBy(visits, ({ start }) => start.instant)
  return [...byStart.values()].flatMap((alike) => (alike.length > 1 ? alike.map(({ entry }) => entry) : []))
}

function compare(a: Moment, b: Moment): number {
  return a.instant !== undefined && b.instant !== undefined ? a.instant - b.instant : a.day - b.day
}

/** Whether an end certainly comes after a start. On the same day without times one may follow the other. */
function endsAfter(end: Moment, start: Moment): boolean {
  return compare(end, start) > 0
}
