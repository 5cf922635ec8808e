/**
 * What a reader of an answer should know, although it is no problem of the record: it never blocks, and no text carries a
 * submitted value.
 */
import type { ModelDefinition } from '../definition/model.ts'
import { compileCondition } from '../expression/evaluate.ts'
import type { Definitions, FieldPlan, Plan } from '../plan/plan.ts'
import type { Slots } from '../plan/slots.ts'
import { type NoticeOptions, RECORD_NOTICE_CODES, noticeRules } from './notice-rules.ts'

/** The codes about a part of the explanation that is null because of its work. */
const NOT_COMPUTED_CODES = ['range-not-computed', 'contributions-not-computed'] as const

export const NOTICE_CODES = [...RECORD_NOTICE_CODES, ...NOT_COMPUTED_CODES] as const

export interface Notice {
  readonly code: (typeof NOTICE_CODES)[number]
  /** The field that it is about; `risk` for a part of the explanation. */
  readonly field: string
  readonly text: string
}

export const RANGE_NOT_COMPUTED: Notice = {
  code: 'range-not-computed',
  field: 'risk',
  text: 'The range of the risk was not computed: the values that are missing allow too many combinations.',
}

export const CONTRIBUTIONS_NOT_COMPUTED: Notice = {
  code: 'contributions-not-computed',
  field: 'risk',
  text: 'The contributions were not computed: the inputs of the model allow too many combinations.',
}

/** Compiles the notices of a model's records. They are found in slots that have been judged, which stay as they are. */
export function compileNotices(
  definitions: Definitions,
  plan: Plan,
  model: ModelDefinition,
  options: NoticeOptions,
): (slots: Slots, today: number) => readonly Notice[] {
  const rules = noticeRules(definitions, plan, model, options).map(({ code, slot, cases }) => ({
    code,
    field: (plan.fields[slot] as FieldPlan).name,
    cases: cases.map(({ when, text }) => ({ holds: compileCondition(when), text })),
  }))
  return (slots, today) =>
    rules.flatMap(({ code, field, cases }): Notice[] => {
      const found = cases.find(({ holds }) => holds(slots.values, slots.states, today))
      if (found === undefined) return []
      return [{ code, field, text: typeof found.text === 'string' ? found.text : found.text(slots) }]
    })
}
