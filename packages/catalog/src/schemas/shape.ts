/** The building blocks of the shapes that clinical files must have. */
import Type, { type Static, type TLiteral, type TObject, type TProperties, type TSchema } from 'typebox'

export const text = Type.String({ minLength: 1 })
export const positive = Type.Number({ exclusiveMinimum: 0 })

/** An object with these keys and no others. */
export function closed<Keys extends TProperties>(keys: Keys, about: object = {}): TObject<Keys> {
  return Type.Object(keys, { additionalProperties: false, ...about })
}

/** A key that may be left out. */
export function maybe<Schema extends TSchema>(schema: Schema, description?: string): Type.TOptional<Schema> {
  const optional = Type.Optional(schema) as Type.TOptional<Schema>
  return description === undefined ? optional : Object.assign(optional, { description })
}

type RecordOf<Schema extends TSchema> = Type.TRecord<'^.*$', Schema>

/** An object of any keys with these values. */
export function recordOf<Schema extends TSchema>(schema: Schema, description?: string): RecordOf<Schema> {
  return Type.Record(Type.String(), schema, description === undefined ? {} : { description })
}

/** A list that is not empty. */
export function some<Schema extends TSchema>(schema: Schema, description?: string): Type.TArray<Schema> {
  return Type.Array(schema, { minItems: 1, ...(description === undefined ? {} : { description }) })
}

type ByWord = Readonly<Record<string, TProperties>>
type OneOf<By extends string, Shapes extends ByWord> = {
  [Word in keyof Shapes & string]: Static<TObject<Record<By, TLiteral<Word>> & Shapes[Word]>>
}[keyof Shapes & string]

/** One of several closed objects. The key `by` has the word that says which one; `others` are words in place of an object. */
export function oneOf<By extends string, Shapes extends ByWord, Other extends string = never>(
  by: By,
  shapes: Shapes,
  others: readonly TLiteral<Other>[] = [],
): Type.TUnsafe<OneOf<By, Shapes> | Other> {
  const objects = Object.entries(shapes).map(([word, keys]) => closed({ [by]: Type.Literal(word), ...keys }))
  return Type.Unsafe<OneOf<By, Shapes> | Other>(Type.Union([...others, ...objects]))
}
