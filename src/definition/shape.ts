/** The building blocks of the shapes that clinical files must have. */
import Type, { type Static, type TLiteral, type TObject, type TProperties, type TUnsafe } from 'typebox'

export const text = Type.String({ minLength: 1 })
export const positive = Type.Number({ exclusiveMinimum: 0 })

/** An object with these keys and no others. */
export function closed<Keys extends TProperties>(keys: Keys, about: object = {}): TObject<Keys> {
  return Type.Object(keys, { additionalProperties: false, ...about })
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
): TUnsafe<OneOf<By, Shapes> | Other> {
  const objects = Object.entries(shapes).map(([word, keys]) => closed({ [by]: Type.Literal(word), ...keys }))
  return Type.Unsafe<OneOf<By, Shapes> | Other>(Type.Union([...others, ...objects]))
}
