/**
 * What a reader of an answer should know, although it is no problem of the record: it never blocks, and no text carries a
 * submitted value.
 */
import type { ModelDefinition } from '../definition/model.ts'
import { compileCondition } from '../expression/evaluate.ts'
import type { ConditionNode } from '../expression/node.ts'
import type { Definitions, FieldPlan, Plan } from '../plan/plan.ts'
import type { Slots } from '../plan/slots.ts'
import { type NoticeOptions, RECORD_NOTICE_CODES, noticeRules } from '../rules/notice-rules.ts'
import { SENTENCES } from '../words/sentences.ts'
import { type Words, inEnglish, sentenceIn } from '../words/words.ts'

/** The codes about a part of the explanation that is null because of its work. */
const NOT_COMPUTED_CODES = ['range-not-computed', 'contributions-not-computed'] as const

/** The code of a field that probably means something else in all that its sender sends. */
const FEED_CODES = ['feed-doubt'] as const

export const NOTICE_CODES = [...RECORD_NOTICE_CODES, ...FEED_CODES, ...NOT_COMPUTED_CODES] as const

export interface Notice {
  readonly code: (typeof NOTICE_CODES)[number]
  /** The field that it is about; `risk` for a part of the explanation. */
  readonly field: string
  readonly text: string
}

export const RANGE_NOT_COMPUTED: Notice = {
  code: 'range-not-computed',
  field: 'risk',
  text: SENTENCES.rangeNotComputed,
}

export const CONTRIBUTIONS_NOT_COMPUTED: Notice = {
  code: 'contributions-not-computed',
  field: 'risk',
  text: SENTENCES.contributionsNotComputed,
}

/** Compiles the notices of a model's records. They are found in slots that have been judged, which stay as they are. */
export function compileNotices(
  definitions: Definitions,
  plan: Plan,
  model: ModelDefinition,
  options: NoticeOptions,
): (slots: Slots, today: number, words?: Words) => readonly Notice[] {
  const rules = noticeRules(definitions, plan, model, options).map(({ code, slot, cases }) => ({
    code,
    slot,
    field: (plan.fields[slot] as FieldPlan).name,
    cases: cases.map(({ when, said }) => ({
      holds: compileCondition(when),
      said,
      english: typeof said === 'function' ? undefined : inEnglish(said),
    })),
    // There are hundreds of rules, and a record gives few fields: most rules are done with by the state of their own field.
    states: cases.reduce((states, { when }) => states | statesIn(when, slot), 0),
  }))
  return (slots, today, words) => {
    const { values, states } = slots
    const found: Notice[] = []
    for (const rule of rules) {
      if (((rule.states >> (states[rule.slot] as number)) & 1) === 0) continue
      for (const { holds, said, english } of rule.cases) {
        if (!holds(values, states, today)) continue
        found.push({
          code: rule.code,
          field: rule.field,
          text:
            english !== undefined && words === undefined
              ? english
              : sentenceIn(words, typeof said === 'function' ? said(slots) : said),
        })
        break
      }
    }
    return found
  }
}

const ANY_STATE = -1

/** The states of a slot, as bits, in which a condition can hold. */
function statesIn(when: ConditionNode, slot: number): number {
  if (when.kind === 'stateIn') return when.slot === slot ? when.states : ANY_STATE
  if (when.kind === 'and') return when.of.reduce((states, part) => states & statesIn(part, slot), ANY_STATE)
  if (when.kind === 'or') return when.of.reduce((states, part) => states | statesIn(part, slot), 0)
  return ANY_STATE
}
