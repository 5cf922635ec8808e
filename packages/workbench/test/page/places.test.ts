/** What an address names, and which views a key may open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '../../src/session.ts'
import { placeOf } from '../../src/view-name.ts'
import { firstView, viewsOf } from '../../src/views-of-key.ts'

const PLACES = [
  ['', { deployment: '', view: '', scale: '', hasRest: false }],
  ['#/patient', { deployment: '', view: 'patient', scale: '', hasRest: false }],
  ['#patient', { deployment: '', view: 'patient', scale: '', hasRest: false }],
  ['#/right', { deployment: '', view: 'right', scale: '', hasRest: false }],
  ['#/readmission', { deployment: 'readmission', view: '', scale: '', hasRest: false }],
  ['#/readmission/patient', { deployment: 'readmission', view: 'patient', scale: '', hasRest: false }],
  [
    '#/readmission/patient/barthel',
    { deployment: 'readmission', view: 'patient', scale: 'barthel', hasRest: false },
  ],
  [
    '#/readmission/patient/barthel/x',
    { deployment: 'readmission', view: 'patient', scale: 'barthel', hasRest: true },
  ],
  // A deployment may have the name of a view, where a view follows.
  ['#/list/list', { deployment: 'list', view: 'list', scale: '', hasRest: false }],
] as const

for (const [hash, place] of PLACES) test(`the address ${hash}`, () => assert.deepEqual(placeOf(hash), place))

interface Key {
  readonly outcomes: readonly string[]
  readonly admin: boolean
  readonly deployment?: object
}

const sessionOf = ({ outcomes, admin, deployment }: Key): Session =>
  ({ deployment, summary: { outcomes, admin } }) as unknown as Session

const KEYS: readonly (readonly [what: string, key: Key, views: string, first: string])[] = [
  ['for scoring', { outcomes: [], admin: false, deployment: {} }, 'patient list model', 'patient'],
  ['for outcomes', { outcomes: ['a'], admin: false, deployment: {} }, 'right outcomes model', 'right'],
  [
    'of an administrator',
    { outcomes: [], admin: true, deployment: {} },
    'patient list model operations',
    'patient',
  ],
  [
    'of an administrator, where outcomes are counted',
    { outcomes: ['a'], admin: true, deployment: {} },
    'patient list model right outcomes operations',
    'patient',
  ],
  ['for management alone', { outcomes: [], admin: true }, 'patient list model operations', 'operations'],
]

for (const [what, key, views, first] of KEYS) {
  test(`the views of a key ${what}`, () => {
    assert.equal(viewsOf(sessionOf(key)).join(' '), views)
    assert.equal(firstView(sessionOf(key)), first)
  })
}
