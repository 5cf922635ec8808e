/** What is watched of the feeds of one deployment: each field by its slot, with the edges between which its values are counted. */
import type { FieldPlan, Plan, UnitSource } from 'patient-risk-engine'
import { codesIn, rangeOf } from 'patient-risk-engine/definition'
import { type WatchedField, watchedFields } from '../units/feed-units.ts'
import { USUAL_NUMBERS, type UsualNumbers } from './knowledge/usual-numbers.ts'
import { COMPARED_NUMBERS, type Statement, USUAL_PAIRS, type UsualPair } from './knowledge/usual-pairs.ts'
import { USUAL_SHARES, type UsualShare } from './knowledge/usual-shares.ts'

/** A field as a feed is watched for it. */
export interface FeedFieldPlan {
  readonly name: string
  readonly slot: number
  readonly kind: FieldPlan['domain']['kind']
  /** Its own range; empty where it has none, or no narrower one for this model. */
  readonly ownFrom: number
  readonly ownTo: number
  /** Whether digits are those that the sender wrote: its numbers are not converted. */
  readonly isAsWritten: boolean
  /** Whether the model cannot do without it. */
  readonly isRequired: boolean
  /** Values are counted between these edges: a bin holds its lower edge, not its upper one. */
  readonly cuts: readonly number[]
  /** The field's units, where it has several. */
  readonly unit: WatchedField | undefined
  readonly usual: UsualNumbers | undefined
  /** Shares of codes, each with its number in the slot. */
  readonly shares: readonly (UsualShare & { readonly number: number })[]
}

/** A statement about a slot: true from one number to below another. */
export interface SlotStatement {
  readonly place: number
  readonly from: number
  readonly below: number
}

export interface SlotPair extends Omit<UsualPair, 'one' | 'other'> {
  readonly one: SlotStatement
  readonly other: SlotStatement
}

export interface SlotComparison {
  readonly one: number
  readonly other: number
  readonly equal: number
  readonly higher: number
}

export interface FeedPlan {
  readonly fields: readonly FeedFieldPlan[]
  readonly pairs: readonly SlotPair[]
  readonly comparisons: readonly SlotComparison[]
  readonly placeOfName: ReadonlyMap<string, number>
}

export type FeedSource = Pick<UnitSource, 'units' | 'model'> & { readonly plan: Plan }

/** The plan of a deployment's feeds. Every field of the catalogue is watched, whether the model uses it or not. */
export function planFeed(source: FeedSource): FeedPlan {
  const { plan, model } = source
  const units = new Map(watchedFields(source).map((each) => [each.field, each]))
  const fields = plan.fields.map((field, slot): FeedFieldPlan => {
    const { name, domain, ownDomain, conversion } = field
    const isNarrowed = domain !== ownDomain && conversion === undefined && domain.kind !== 'list'
    const own = isNarrowed ? rangeOf(ownDomain) : undefined
    const input = Object.hasOwn(model.inputs, name) ? model.inputs[name] : undefined
    const usual = usualOf(field)
    return {
      name,
      slot,
      kind: domain.kind,
      ownFrom: own?.from ?? Infinity,
      ownTo: own?.to ?? -Infinity,
      isAsWritten: conversion === undefined,
      isRequired: input !== undefined && input.whenAbsent === undefined && !name.includes('_'),
      cuts: usual === undefined ? [] : cutsOf(usual),
      unit: units.get(name),
      usual,
      shares: sharesOf(field),
    }
  })
  const placeOfName = new Map(fields.map(({ name }, place) => [name, place]))
  return {
    fields,
    pairs: USUAL_PAIRS.flatMap((pair): SlotPair[] => {
      const one = statementOf(pair.one, plan)
      const other = statementOf(pair.other, plan)
      return one === undefined || other === undefined ? [] : [{ ...pair, one, other }]
    }),
    comparisons: COMPARED_NUMBERS.flatMap(({ fields: [first, second], equal, higher }) => {
      const one = placeOfName.get(first)
      const other = placeOfName.get(second)
      return one === undefined || other === undefined ? [] : [{ one, other, equal, higher }]
    }),
    placeOfName,
  }
}

/** Usual values are stated in the field's own unit, and slots hold that too. A model for a narrower population has no other limits. */
function usualOf({ name, ownDomain }: FieldPlan): UsualNumbers | undefined {
  const known = USUAL_NUMBERS.find(({ field }) => field === name)
  const isNumber = ownDomain.kind === 'integer' || ownDomain.kind === 'decimal'
  if (known !== undefined || !isNumber) return known
  // A field that nobody has described is watched for values that repeat.
  const { from, to } = rangeOf(ownDomain) ?? { from: 0, to: 0 }
  return to - from >= 50 ? { field: name, commonest: 0.9 } : undefined
}

/** All edges that a limit of the field names, in order. */
function cutsOf({
  median,
  below = [],
  above = [],
  fewBelow = [],
  fewFrom = [],
  heap,
}: UsualNumbers): readonly number[] {
  const around = heap === undefined ? [] : [heap.from, heap.below]
  const edges = [
    ...around,
    ...(median ?? []),
    ...[...below, ...above, ...fewBelow, ...fewFrom].map(([value]) => value),
  ]
  return [...new Set(edges)].sort((one, other) => one - other)
}

function sharesOf({ name, domain }: FieldPlan): FeedFieldPlan['shares'] {
  return USUAL_SHARES.filter(({ field }) => field === name).flatMap((share) => {
    const number = share.value === true ? 1 : codesIn(domain).get(share.value)
    return number === undefined ? [] : [{ ...share, number }]
  })
}

function statementOf({ field, from, below, is }: Statement, plan: Plan): SlotStatement | undefined {
  const place = plan.slotByName.get(field)
  if (place === undefined) return undefined
  if (from !== undefined || below !== undefined)
    return { place, from: from ?? -Infinity, below: below ?? Infinity }
  const { domain } = plan.fields[place] as FieldPlan
  const number = domain.kind === 'yesNo' ? (is === 'false' ? 0 : 1) : codesIn(domain).get(is ?? '')
  return number === undefined ? undefined : { place, from: number, below: number + 1 }
}
