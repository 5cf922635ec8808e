/** Feeds that mean something else: what a sender does to right records, and the fields that are wrong then. */
import { readFileSync } from 'node:fs'
import { type PatientRecord, patientsWithHidden, withoutHidden } from './patients.ts'
import { type Rule, applyRules, isNamed } from './rules.ts'

export interface WrongFeed {
  readonly id: string
  readonly what: string
  /** The fields that are wrong; a name that ends in * is a prefix. */
  readonly fields: readonly string[]
  readonly rules: readonly Rule[]
  /** What it can be seen in at best. */
  readonly noticed: 'one record' | '200 records' | 'own past' | 'never'
  /** Records within which it must be named; 200 where absent. */
  readonly within?: number
  /** Scales of which the total alone is sent, in right records too. */
  readonly onlyTotals?: readonly string[]
}

const WITHIN = 200

export const WRONG_FEEDS = JSON.parse(
  readFileSync(new URL('catalogue.json', import.meta.url), 'utf8'),
) as readonly WrongFeed[]

export function feedOf(id: string): WrongFeed {
  const feed = WRONG_FEEDS.find((each) => each.id === id)
  if (feed === undefined) throw new Error(`there is no feed ${id}`)
  return feed
}

export const withinOf = ({ within = WITHIN }: WrongFeed): number => within

/** What one hospital sends as this feed: as many records as it must be named within. */
export function sentAs(feed: WrongFeed, site: number): readonly PatientRecord[] {
  const right = patientsWithHidden(site, withinOf(feed)).map((record) => withoutItems(record, feed))
  return applyRules(feed.rules, right).slice(0, withinOf(feed)).map(withoutHidden)
}

/** Whether a field is one that is wrong in the feed. */
export function isWrong({ fields }: WrongFeed, field: string): boolean {
  return fields.some((each) => isNamed(field, each))
}

function withoutItems(record: PatientRecord, { onlyTotals = [] }: WrongFeed): PatientRecord {
  const isItem = (name: string): boolean =>
    onlyTotals.some((scale) => name.startsWith(`${scale}_`)) && !/_(total|date)$/.test(name)
  return Object.fromEntries(Object.entries(record).filter(([name]) => !isItem(name)))
}
