/** Fields that are broken at one place. */
import { type Row, refusesEach } from '../../../../test/support/broken-folder.ts'
import { FIELDS } from '../../../../test/support/valid-folder.ts'

const ROWS: readonly Row[] = [
  ['a field of an unknown type', FIELDS, '/inputs/falls/type', 'count', '/inputs/falls/type', 'shape'],
  ['a field without meaning', FIELDS, '/inputs/falls/meaning', undefined, '/inputs/falls', 'shape'],
  ['a field with an unknown word', FIELDS, '/inputs/falls/colour', 'red', '/inputs/falls', 'shape'],
  ['a whole-number field with half bounds', FIELDS, '/inputs/falls/to', 9.5, '/inputs/falls/to', 'shape'],
  ['a field whose range is turned round', FIELDS, '/inputs/falls/from', 30, '/inputs/falls', 'range'],
  ['a field with a single number', FIELDS, '/inputs/falls/from', 20, '/inputs/falls', 'range'],
  ['a field called idx', FIELDS, '/inputs/idx', { type: 'yesNo', meaning: 'W' }, '/inputs/idx', 'field-name'],
  [
    'a field called risk',
    FIELDS,
    '/inputs/risk',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/risk',
    'field-name',
  ],
  [
    'a field with an underscore',
    FIELDS,
    '/inputs/a_b',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/a_b',
    'field-name',
  ],
  [
    'a field named by a word of the language',
    FIELDS,
    '/inputs/constructor',
    { type: 'code', values: { a: 'a' }, meaning: 'W' },
    '/inputs/constructor',
    'field-name',
  ],
  [
    'a name taken by a base field',
    FIELDS,
    '/inputs/age',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/age',
    'name-taken',
  ],
  [
    'a name that differs from another in case alone',
    FIELDS,
    '/inputs/stayDAYS',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/stayDAYS',
    'name-taken',
  ],
  ['a code field without codes', FIELDS, '/inputs/home/values', {}, '/inputs/home/values', 'codes'],
  ['an empty code', FIELDS, '/inputs/home/values', { '': 'none' }, '/inputs/home/values', 'codes'],
  [
    'base fields in an extra folder',
    FIELDS,
    '/base',
    { sixth: { type: 'yesNo', meaning: 'W' } },
    '/base',
    'base',
  ],
  ['a file of fields without version', FIELDS, '/version', undefined, '', 'shape'],
]

refusesEach(ROWS)
