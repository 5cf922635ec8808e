/** What `fields.json` may say: the base fields of every record, and the further inputs that models name. */
import Type from 'typebox'
import { closed, maybe, oneOf, positive, recordOf, text } from './shape.ts'

const about = {
  meaning: Type.String({ minLength: 1, description: 'What the value says, for the person who fills it in.' }),
  unit: maybe(text),
  window: maybe(text, 'The time that the value covers.'),
  includes: maybe(text),
  excludes: maybe(text),
}

export const Field = oneOf('type', {
  integer: { from: Type.Integer(), to: Type.Integer(), ...about },
  decimal: { from: Type.Number(), to: Type.Number(), ...about },
  code: { values: recordOf(Type.String(), 'Each permitted code and what it means.'), ...about },
  yesNo: about,
})

/** Another unit of a field: value in the field's own unit = value × `times` ÷ `per`. */
const Conversion = closed({
  times: maybe(positive),
  per: maybe(positive, "How many of this unit are one of the field's own."),
  source: text,
})

/** The units in which a number is written, for fields in which one unit is easily taken for another. */
const Units = closed({
  unit: Type.String({ minLength: 1, description: "The field's own unit." }),
  usual: closed(
    { from: positive, to: positive },
    { description: "Where the median of hospital patients lies, in the field's own unit." },
  ),
  median: maybe(positive, 'The usual median itself; the geometric middle of `usual` where absent.'),
  source: Type.String({ minLength: 1, description: 'Where the usual median comes from.' }),
  others: Type.Record(Type.String(), Conversion, { minProperties: 1 }),
})

export const FieldsFile = closed({
  $schema: maybe(Type.String()),
  version: Type.Integer({ minimum: 1 }),
  base: maybe(recordOf(Field)),
  inputs: maybe(recordOf(Field)),
  units: maybe(recordOf(Units), 'Further units by field; totals and measures of scales too.'),
})
