/** An overlay of the mapping of FHIR: one that repeats an entry of the mapping below it changes nothing else. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Mapping, readMapping } from '@patient-risk/catalog'
import { CLINICAL_ROOT, testCatalog } from '../../../test/support/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-overlay-'))
after(() => rmSync(folder, { recursive: true }))

function readWith(overlay?: object): Omit<Mapping, 'digest'> {
  const path = join(folder, 'overlay.json')
  if (overlay !== undefined) writeFileSync(path, JSON.stringify(overlay))
  const { mapping, faults } = readMapping(
    [CLINICAL_ROOT],
    testCatalog(),
    overlay === undefined ? undefined : path,
  )
  assert.deepEqual(faults, [])
  assert.ok(mapping !== undefined)
  const { digest, ...rest } = mapping
  assert.notEqual(digest, '')
  return rest
}

const whole = readWith()

/** Where entries are merged by their names. */
const MERGED = [
  ['encounters', 'classes'],
  ['diagnoses', 'groups'],
  ['diagnoses', 'history'],
  ['fields'],
  ['scales'],
  ['outcomes'],
] as const

for (const path of MERGED) {
  test(`an overlay with one entry of ${path.join('.')} keeps the others`, () => {
    const section = path.reduce<object>((part, name) => Object(Reflect.get(part, name)) as object, whole)
    const names = Object.keys(section)
    assert.ok(names.length >= 2, names.join())
    for (const name of [names[0] ?? '', names.at(-1) ?? '']) {
      const entry: object = { [name]: Reflect.get(section, name) as unknown }
      const overlay = path.reduceRight<object>((inner, key) => ({ [key]: inner }), entry)
      assert.deepEqual(readWith(overlay), whole)
    }
  })
}

test('an overlay with one setting of diagnoses keeps the others', () => {
  const { systems } = whole.diagnoses
  assert.deepEqual(readWith({ diagnoses: { systems } }), whole)
  const own = ['http://hl7.org/fhir/sid/icd-10']
  assert.deepEqual(readWith({ diagnoses: { systems: own } }), {
    ...whole,
    diagnoses: { ...whole.diagnoses, systems: own },
  })
})

const CANCER = { take: 'any', resource: 'Condition', value: 'metastatic', otherwise: 'none' }
const SOURCE = 'https://icd.who.int/browse10/2019/en'
/** Where groups of diagnoses are named. Each of them must exist, and not the first one only. */
const UNKNOWN = [
  [{ fields: { cancer: { ...CANCER, groups: ['metastatic', 'unknown'] } } }, '/fields/cancer'],
  [
    {
      fields: {
        cancer: {
          ...CANCER,
          groups: ['metastatic'],
          else: [
            { groups: ['leukemia'], value: 'solitary' },
            { groups: ['lymphoma', 'unknown'], value: 'solitary' },
          ],
        },
      },
    },
    '/fields/cancer',
  ],
  [{ diagnoses: { history: { unknown: { statuses: ['resolved'], counts: 'yes' } } } }, '/diagnoses/history'],
  [
    {
      diagnoses: {
        unclear: [
          { prefixes: ['G590'], groups: ['diabetes'], source: SOURCE, note: 'a' },
          { prefixes: ['G632'], groups: ['diabetes', 'unknown'], source: SOURCE, note: 'b' },
        ],
      },
    },
    '/diagnoses/unclear/1',
  ],
] as const
for (const [overlay, place] of UNKNOWN) {
  test(`an unknown group is refused: ${JSON.stringify(overlay)}`, () => {
    const path = join(folder, 'unknown.json')
    writeFileSync(path, JSON.stringify(overlay))
    const { faults } = readMapping([CLINICAL_ROOT], testCatalog(), path)
    assert.deepEqual(
      faults.map(({ rule, path: at, message }) => [rule, at, message]),
      [['unknown-group', place, 'there is no group unknown']],
    )
  })
}
