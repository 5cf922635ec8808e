/** Codes of other conventions: each that senders are known to write is one, and no code of ours is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CODED_FIELDS, foreignCodesOf } from '../src/feeds/knowledge/conventions.ts'

const LETTERS = 'H V D W m w d x U K Z Ž N h v O A'
const FIGURES = '0 1 2 9'
const WORDS =
  'male female other unknown Hombre Varón Mujer Hembra HOMBRE VARON VARÓN MUJER HEMBRA hombre varón mujer hembra Homme Femme homme femme ' +
  'männlich weiblich divers Masculino Femenino MASCULINO FEMENINO Home Dona HOME DONA Mann Frau MANN FRAU Male Female MALE FEMALE Man Woman'

test('each code of sex that is not ours is one of another convention', () => {
  assert.deepEqual(CODED_FIELDS, ['sex'])
  const expected = [LETTERS, FIGURES, WORDS].flatMap((codes) => codes.split(' '))
  assert.deepEqual([...foreignCodesOf('sex')].sort(), expected.sort())
  assert.deepEqual(foreignCodesOf('age'), [])
})
