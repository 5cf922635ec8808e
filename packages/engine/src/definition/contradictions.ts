/** Fields that speak of the same thing, and values that cannot both be true. */

/** What a value of a field says of a quantity: a word, or where the number lies. */
export interface IntervalDefinition {
  /** For a quantity without numbers, such as sex. */
  readonly is?: string
  readonly from?: number
  readonly to?: number
  /** As `from`, without the number itself. */
  readonly above?: number
  /** As `to`, without the number itself. */
  readonly below?: number
}

export interface QuantityDefinition {
  /** What the fields speak of, as it follows "the". */
  readonly label: string
  /** Fields of scales with different dates do not contradict each other. */
  readonly sameDay?: boolean
  /** `value` where the field holds the quantity itself; otherwise what each value of the field says. */
  readonly fields: Readonly<Record<string, 'value' | Readonly<Record<string, IntervalDefinition>>>>
  readonly source: string
}

interface ValuesCondition {
  readonly kind: 'values'
  readonly field: string
  readonly values: readonly (number | boolean | string)[]
}

interface AboveFieldCondition {
  readonly kind: 'aboveField'
  readonly field: string
  readonly other: string
}

interface AnyGivenCondition {
  readonly kind: 'anyGiven'
  readonly fields: readonly string[]
}

/** The given value is not the one that the rules of its scale give for the other values. */
interface DiffersFromRulesCondition {
  readonly kind: 'differsFromRules'
  readonly field: string
}

export type ConditionDefinition =
  ValuesCondition | AboveFieldCondition | AnyGivenCondition | DiffersFromRulesCondition

interface ContradictionRuleDefinition {
  readonly id: string
  /** The rule is broken where all of these hold. */
  readonly all: readonly ConditionDefinition[]
  /** Fields of scales with different dates do not contradict each other. */
  readonly sameDay?: boolean
  /** One sentence for the person who reads the answer. */
  readonly text: string
  readonly source: string
}

/** What `contradictions.json` may say. */
export interface ContradictionsDefinition {
  readonly $schema?: string
  readonly version: number
  /** Two fields contradict each other where what they say does not meet. */
  readonly quantities?: Readonly<Record<string, QuantityDefinition>>
  readonly rules?: readonly ContradictionRuleDefinition[]
}
