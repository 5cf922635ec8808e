/** What `contradictions.json` may say: fields that speak of the same thing, and values that cannot both be true. */
import Type from 'typebox'
import { closed, maybe, oneOf, recordOf, some, text } from './shape.ts'

/** What a value of a field says of a quantity: a word, or where the number lies. */
const Interval = closed({
  is: maybe(text, 'For a quantity without numbers, such as sex.'),
  from: maybe(Type.Number()),
  to: maybe(Type.Number()),
  above: maybe(Type.Number(), 'As `from`, without the number itself.'),
  below: maybe(Type.Number(), 'As `to`, without the number itself.'),
})

const sameDay = maybe(Type.Boolean(), 'Fields of scales with different dates do not contradict each other.')

const Quantity = closed({
  label: Type.String({ minLength: 1, description: 'What the fields speak of, as it follows "the".' }),
  sameDay,
  fields: recordOf(
    Type.Union([
      Type.Literal('value', { description: 'The field holds the quantity itself.' }),
      recordOf(Interval, 'What each value of the field says.'),
    ]),
  ),
  source: text,
})

const field = text
const Condition = oneOf('kind', {
  values: { field, values: some(Type.Union([Type.Number(), Type.Boolean(), text])) },
  aboveField: { field, other: text },
  anyGiven: { fields: some(text) },
  /** The given value is not the one that the rules of its scale give for the other values. */
  differsFromRules: { field },
})

const Rule = closed({
  id: text,
  all: some(Condition, 'The rule is broken where all of these hold.'),
  sameDay,
  text: Type.String({ minLength: 1, description: 'One sentence for the person who reads the answer.' }),
  source: text,
})

export const ContradictionsFile = closed({
  $schema: maybe(Type.String()),
  version: Type.Integer({ minimum: 1 }),
  quantities: maybe(
    recordOf(Quantity, 'Two fields contradict each other where what they say does not meet.'),
  ),
  rules: maybe(Type.Array(Rule)),
})
