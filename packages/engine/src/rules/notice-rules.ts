/** The notices of a model's records: for each field, the conditions under which there is something to say, and what. */
import type { ModelDefinition } from '../definition/model.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import {
  ALWAYS,
  TODAY,
  and,
  choose,
  compare,
  not,
  number,
  or,
  stateIn,
  value,
  within,
} from '../expression/build.ts'
import { daysBetweenNode } from '../expression/days.ts'
import type { NumberNode } from '../expression/node.ts'
import { formNode } from '../judge/lower-scale.ts'
import { isUsable } from '../plan/computation.ts'
import type { ScalePlan } from '../plan/plan-scale.ts'
import type { Definitions, FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { unitCases } from '../score/likely-unit.ts'
import { SENTENCES } from '../words/sentences.ts'
import type { Part, Sentence } from '../words/words.ts'
import { type FieldRule, contradictionRules } from './contradictions.ts'

/** The codes about values of the record, in the order in which notices are given. */
export const RECORD_NOTICE_CODES = [
  'act-on-item',
  'outside-data',
  'assumed',
  'incomplete-scale',
  'old-assessment',
  'contradiction',
  'unit-doubt',
] as const

type RecordNoticeCode = (typeof RECORD_NOTICE_CODES)[number]

export interface NoticeRule extends FieldRule {
  readonly code: RecordNoticeCode
}

/** How old an assessment may be where neither its scale nor the deployment says so. */
const ASSESSMENT_DAYS = 366

export interface NoticeOptions {
  /** For all scales, in place of what they say; null: none is too old. */
  readonly assessmentDays?: number | null | undefined
}

interface Source {
  readonly definitions: Definitions
  readonly plan: Plan
  readonly model: ModelDefinition
  readonly options: NoticeOptions
}

/** The rules that are the same for every model and deployment of the definitions, as their slots are. */
interface SharedRules {
  readonly redFlags: readonly FieldRule[]
  readonly incomplete: readonly FieldRule[]
  readonly contradiction: readonly FieldRule[]
}

const sharedRules = new WeakMap<Definitions, SharedRules>()
const ages = new Map<number, NumberNode>()

/** The rules in the order in which notices are given. They are about slots that have been judged. */
export function noticeRules(
  definitions: Definitions,
  plan: Plan,
  model: ModelDefinition,
  options: NoticeOptions,
): readonly NoticeRule[] {
  const source = { definitions, plan, model, options }
  const ofDefinitions = sharedRules.get(definitions) ?? {
    redFlags: definitions.scales.flatMap((scale) => redFlags(plan, scale)),
    incomplete: definitions.scales.map((scale, index) => incomplete(plan, scale, index)),
    contradiction: contradictionRules(plan, definitions.contradictions ?? []),
  }
  sharedRules.set(definitions, ofDefinitions)
  const rules: Readonly<Record<RecordNoticeCode, readonly FieldRule[]>> = {
    'act-on-item': ofDefinitions.redFlags,
    'outside-data': outsideData(source),
    assumed: assumed(source),
    'incomplete-scale': ofDefinitions.incomplete,
    'old-assessment': definitions.scales.flatMap((scale, index) => old(source, scale, index)),
    contradiction: ofDefinitions.contradiction,
    'unit-doubt': unitDoubt(source),
  }
  return RECORD_NOTICE_CODES.flatMap((code) =>
    rules[code].toSorted((a, b) => a.slot - b.slot).map((rule) => ({ ...rule, code })),
  )
}

function inputsOf({ plan, model }: Source): readonly (readonly [name: string, slot: number])[] {
  return Object.keys(model.inputs).map((name) => [name, plan.slotByName.get(name) as number])
}

function outsideData(source: Source): readonly FieldRule[] {
  const { id, profile } = source.model
  return inputsOf(source).flatMap(([name, slot]) => {
    const seen = profile?.inputs[name]
    if (seen === undefined || 'codes' in seen) return []
    const { from = -Infinity, to = Infinity } = seen
    return [
      {
        slot,
        cases: [
          {
            when: and(isUsable(slot), compare(value(slot), '<', number(from))),
            said: { text: SENTENCES.below, parts: { field: { field: name }, end: from, model: id } },
          },
          {
            when: and(isUsable(slot), compare(value(slot), '>', number(to))),
            said: { text: SENTENCES.above, parts: { field: { field: name }, end: to, model: id } },
          },
        ],
      },
    ]
  })
}

function assumed(source: Source): readonly FieldRule[] {
  const { id, inputs } = source.model
  return inputsOf(source).flatMap(([name, slot]) => {
    const standIn = inputs[name]?.whenAbsent
    if (standIn === undefined) return []
    const parts = { field: { field: name }, model: id }
    const said =
      standIn === null
        ? { text: SENTENCES.absent, parts }
        : { text: SENTENCES.assumed, parts: { ...parts, value: partOf(standIn) } }
    return [{ slot, cases: [{ when: stateIn(slot, STATE.assumed), said }] }]
  })
}

/** An item that asks for action whatever the total. The sentence is the scale's own. */
function redFlags(plan: Plan, { id, redFlags: flags = [] }: ScaleDefinition): readonly FieldRule[] {
  return flags.flatMap(({ items, text, from, to }) =>
    items.map((item) => {
      const slot = plan.slotByName.get(`${id}_${item}`) as number
      return {
        slot,
        cases: [{ when: and(isUsable(slot), within(value(slot), { from, to })), said: { text } }],
      }
    }),
  )
}

/** A given total that is the sum of some of its items: it was compared with them and found right. */
function incomplete(plan: Plan, { id }: ScaleDefinition, index: number): FieldRule {
  const scale = plan.scales[index] as ScalePlan
  const total = plan.slotByName.get(`${id}_total`) as number
  const form = formNode(scale)
  const cases = scale.forms.flatMap(({ totals }, at) => {
    const sum = totals.find(
      ({ target, fillsIn, comparesPartly }) => target === total && fillsIn && comparesPartly,
    )
    if (sum === undefined) return []
    const isWritten = scale.codingSlot < 0 ? ALWAYS : compare(form, '=', number(at))
    const isGiven = or(...sum.parts.map(isUsable))
    const said = (slots: Slots): Sentence => {
      const count = sum.parts.filter((part) => slots.isUsable(part)).length
      const field = { field: `${id}_total` }
      if (count === 1) return { text: SENTENCES.incompleteOne, parts: { field } }
      return { text: SENTENCES.incomplete, parts: { field, count } }
    }
    return [{ when: and(stateIn(total, STATE.valid), isWritten, isGiven, not(sum.isComplete)), said }]
  })
  return { slot: total, cases }
}

/** How many days back an assessment may lie. */
function assessmentLimit({ validDays }: ScaleDefinition, { assessmentDays }: NoticeOptions): number {
  return [assessmentDays, validDays, ASSESSMENT_DAYS].find((each) => each !== undefined) ?? Infinity
}

function old({ plan, options }: Source, scale: ScaleDefinition, index: number): readonly FieldRule[] {
  const slot = (plan.scales[index] as ScalePlan).dateSlot
  const days = assessmentLimit(scale, options)
  if (days === Infinity) return []
  const age = ages.get(slot) ?? daysBetweenNode(value(slot), TODAY)
  ages.set(slot, age)
  const isOld = compare(age, '>', number(days))
  const said = { text: SENTENCES.old, parts: { scale: { field: scale.id }, days } }
  return [{ slot, cases: [{ when: and(stateIn(slot, STATE.valid), isOld), said }] }]
}

/** A value that is usual in another unit only. One out of range often is one in another unit. */
function unitDoubt(source: Source): readonly FieldRule[] {
  const { plan, definitions } = source
  return inputsOf(source).flatMap(([name, slot]) => {
    const units = definitions.units?.get(name)
    if (units === undefined) return []
    const received = (plan.fields[slot] as FieldPlan).conversion?.unit ?? units.unit
    const isThere = stateIn(slot, STATE.valid, STATE.outOfRange)
    const given = choose([{ when: isThere, then: value(slot) }])
    const cases = unitCases(units, received, given).map(({ when, unit }) => ({
      when: and(isThere, when),
      said: {
        text: unitSentence(received, unit),
        parts: { field: { field: name }, received: { phrase: received }, likely: { phrase: unit } },
      },
    }))
    return [{ slot, cases }]
  })
}

/** The unit of a total is its highest value: "of 20". */
function unitSentence(received: string, likely: string): string {
  const isTotal = (unit: string): boolean => unit.startsWith('of ')
  if (isTotal(received)) return isTotal(likely) ? SENTENCES.unitOfTotal : SENTENCES.unitFromTotal
  return isTotal(likely) ? SENTENCES.unitToTotal : SENTENCES.unit
}

/** A stand-in as a part of a sentence: yes and no are written as in the record. */
function partOf(standIn: number | boolean | string): Part {
  return typeof standIn === 'boolean' ? String(standIn) : standIn
}
