/** A deployment chooses schemes of bands by name; the field catalogue says which ones it uses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeployments } from '../src/catalog/deployment.ts'
import { fieldsOf } from '../src/catalog/describe-fields.ts'
import { packDeployments } from '../src/catalog/portable.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const catalog = testCatalog()

function made(bands: Readonly<Record<string, string>>): ReturnType<typeof makeDeployments> {
  const entry = { name: 'ward', basePath: '/', model: 'readmission30', output: 'number', bands } as const
  return makeDeployments(catalog, [entry])
}

/** Settings · the only fault. */
const WRONG: readonly (readonly [Readonly<Record<string, string>>, string, RegExp])[] = [
  [
    { barthel: 'Shah' },
    '/deployments/0/bands/barthel',
    /^Shah is not a scheme of it; there are Shah 1989; 80 \/ 60 \/ 40 \/ 20; Spanish practice$/,
  ],
  [
    { gripStrength: 'EWGSOP' },
    '/deployments/0/bands/gripStrength',
    /there are EWGSOP2 2019; AWGS 2019; EWGSOP 2010 \(old\); FNIH 2014; SDOC 2020$/,
  ],
  [
    { bartel: 'Shah 1989' },
    '/deployments/0/bands/bartel',
    /^there is no such scale; these have bands: barthel, braden, /,
  ],
  [{ toString: 'Shah 1989' }, '/deployments/0/bands/toString', /^there is no such scale/],
]
for (const [bands, path, message] of WRONG) {
  test(`${JSON.stringify(bands)} is refused with the names that exist`, () => {
    const [fault, ...more] = made(bands).faults
    assert.deepEqual([fault?.path, fault?.rule, more], [path, 'bands', []])
    assert.match(fault?.message ?? '', message)
  })
}

test('chosen schemes reach the engine, here and in a worker', () => {
  const bands = { edmonton: 'four bands', cirs: 'Haematology' }
  const { deployments, faults } = made(bands)
  assert.deepEqual(faults, [])
  assert.deepEqual(deployments[0]?.scorerOptions.bands, bands)
  assert.deepEqual(
    structuredClone(packDeployments(catalog, deployments)).deployments[0]?.options.bands,
    bands,
  )
})

/** Scale · schemes that are in use without a choice, with their conditions. */
const IN_USE: readonly (readonly [string, readonly object[]])[] = [
  ['barthel', [{ scheme: 'Shah 1989' }]],
  ['edmonton', [{ scheme: 'five bands (most quoted in English)' }]],
  [
    'gripStrength',
    [
      { scheme: 'EWGSOP2 2019', sex: 'M' },
      { scheme: 'EWGSOP2 2019', sex: 'F' },
    ],
  ],
  [
    'spmsq',
    [
      { scheme: 'Pfeiffer 1975, adjusted for schooling', of: 'adjusted', given: 'education' },
      { scheme: 'Pfeiffer 1975, schooling unknown, errors as counted', absent: 'education' },
    ],
  ],
  [
    'news2',
    [
      {
        scheme: 'Royal College of Physicians 2017',
        rules: [{ anyItem: 3, from: 0, to: 4, label: 'low-medium' }],
      },
    ],
  ],
  ['cirs', []],
  ['frailVig', []],
  ['pps', []],
]
/** What a scheme says besides its name and its conditions. */
const ABOUT = ['bands', 'note', 'verified', 'default']
test('the field catalogue marks the schemes in use and states their conditions', () => {
  const inUse = (bands: Readonly<Record<string, string>>, id: string): readonly object[] => {
    const [deployment] = made(bands).deployments
    assert.ok(deployment)
    const { bands: schemes = [] } =
      fieldsOf(catalog, deployment).scales.find((scale) => scale.id === id) ?? {}
    for (const scheme of schemes) assert.equal(typeof scheme.default, 'boolean')
    return schemes
      .filter((scheme) => scheme.default)
      .map((scheme) => Object.fromEntries(Object.entries(scheme).filter(([key]) => !ABOUT.includes(key))))
  }
  for (const [id, schemes] of IN_USE) assert.deepEqual(inUse({}, id), schemes, id)
  assert.deepEqual(inUse({ edmonton: 'four bands' }, 'edmonton'), [{ scheme: 'four bands' }])
  assert.deepEqual(inUse({ pps: 'care phase' }, 'pps'), [{ scheme: 'care phase' }])
})
