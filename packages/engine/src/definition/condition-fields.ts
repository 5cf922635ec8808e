/** The fields that a condition of a contradiction names. */
import type { ConditionDefinition } from './contradictions.ts'

export function fieldsOfCondition(condition: ConditionDefinition): readonly string[] {
  if (condition.kind === 'anyGiven') return condition.fields
  return condition.kind === 'aboveField' ? [condition.field, condition.other] : [condition.field]
}
