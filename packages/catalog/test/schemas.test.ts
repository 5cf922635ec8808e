/**
 * Files are checked by schemas, and the engine has plain types. Both describe the same files: the compiler proves it here, and
 * `generated.test.ts` that the printed schemas have not changed.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Static } from 'typebox'
import type {
  CardDefinition,
  ContradictionsDefinition,
  FieldsDefinition,
  ModelDefinition,
  PointsBandDefinition,
  ScaleDefinition,
} from 'patient-risk-engine/definition'
import type {
  Card,
  ContradictionsFile,
  FieldsFile,
  ModelFile,
  PointsBand,
  ScaleFile,
} from '../src/schemas/index.ts'
import { testCatalog } from '../../../test/support/serve.ts'

/** A type without the names of its parts, all of them readonly. A key that may be left out stays one. */
type Plain<T> = T extends readonly (infer Part)[]
  ? readonly Plain<Part>[]
  : T extends object
    ? { readonly [Key in keyof T]: Plain<T[Key]> }
    : T

/**
 * Whether two types are identical to the compiler. Assignable both ways is too little: `{}` and `{ a?: number }` are, although
 * one of them has no such key.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- An open type makes the compiler ask for identity.
type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Same<A, B> = Identical<Plain<A>, Plain<B>>

// A row that is not true does not compile: `npm run typecheck` and the test below name it.
const EQUAL: {
  readonly fields: Same<Static<typeof FieldsFile>, FieldsDefinition>
  readonly contradictions: Same<Static<typeof ContradictionsFile>, ContradictionsDefinition>
  readonly scale: Same<Static<typeof ScaleFile>, ScaleDefinition>
  readonly model: Same<Static<typeof ModelFile>, ModelDefinition>
  readonly card: Same<Static<typeof Card>, CardDefinition>
  readonly pointsBand: Same<Static<typeof PointsBand>, PointsBandDefinition>
} = {
  fields: true,
  contradictions: true,
  scale: true,
  model: true,
  card: true,
  pointsBand: true,
}

interface Sample {
  readonly a: number
  readonly b?: 'x' | 'y'
  readonly c: readonly { readonly d?: string }[]
}
// The comparison itself: what it must tell apart.
const TOLD_APART: {
  readonly aKeyThatMayBeLeftOut: Same<Sample, Required<Sample>>
  readonly aKeyThatIsMissing: Same<Sample, Omit<Sample, 'b'>>
  readonly anotherWord: Same<Sample, Omit<Sample, 'b'> & { readonly b?: 'x' }>
  readonly undefinedAsAValue: Same<Sample, Omit<Sample, 'b'> & { readonly b?: 'x' | 'y' | undefined }>
  readonly aPartOfAList: Same<Sample, Omit<Sample, 'c'> & { readonly c: readonly { readonly e?: string }[] }>
} = {
  aKeyThatMayBeLeftOut: false,
  aKeyThatIsMissing: false,
  anotherWord: false,
  undefinedAsAValue: false,
  aPartOfAList: false,
}
const ALIKE: Same<Sample, { a: number; b?: 'y' | 'x'; c: { d?: string }[] }> = true

test('the types of the engine are those of the schemas', () => {
  assert.deepEqual(new Set(Object.values(EQUAL)), new Set([true]))
})

test('the comparison of types sees keys that may be left out, missing keys, words and parts of lists', () => {
  assert.deepEqual(new Set(Object.values(TOLD_APART)), new Set([false]))
  assert.equal(ALIKE, true)
})

test('the configuration takes the horizon of every card, and none that is longer', () => {
  interface Schema {
    readonly items?: Schema
    readonly maximum?: number
    readonly properties?: Readonly<Record<string, Schema>>
  }
  const schema = JSON.parse(readFileSync('clinical/schema/config.schema.json', 'utf8')) as Schema
  const outcomes = schema.properties?.['deployments']?.items?.properties?.['outcomes']
  const horizons = [...testCatalog().models.values()].map(({ definition }) => definition.card.horizonDays)
  assert.equal(outcomes?.properties?.['horizonDays']?.maximum, Math.max(...horizons))
})
