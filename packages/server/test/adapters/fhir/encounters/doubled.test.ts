/** Visits that may be one visit recorded twice: each of the two is in doubt, whichever of them a figure counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../../src/adapters/fhir/read/body/entry.ts'
import { doubledIn } from '../../../../src/adapters/fhir/read/rules.ts'
import { parseMoment } from '../../../../src/adapters/fhir/read/moment.ts'
import type { Visit } from '../../../../src/adapters/fhir/read/stays/visit.ts'

type Given = Partial<Visit> & { readonly from: string; readonly to?: string; readonly number?: string }

function visitOf(given: Given, place: number): Visit {
  const { from, to, number, ...more } = given
  const identifier = number === undefined ? [] : [{ system: 'urn:visits', value: number }]
  return {
    entry: { path: String(place), resource: { identifier } } as unknown as Entry,
    kind: 'inpatient',
    status: 'finished',
    start: parseMoment(from),
    end: parseMoment(to),
    isPart: false,
    ...more,
  } as Visit
}

/** The visits · the places of those in doubt. */
const ROWS: readonly (readonly [string, readonly Given[], string])[] = [
  [
    'two that overlap',
    [
      { from: '2026-01-01', to: '2026-01-05' },
      { from: '2026-01-04', to: '2026-01-09' },
    ],
    '0 1',
  ],
  [
    'the second begins on the day on which the first ends',
    [
      { from: '2026-01-01', to: '2026-01-05' },
      { from: '2026-01-05', to: '2026-01-09' },
    ],
    '',
  ],
  [
    'the second begins at the moment at which the first ends',
    [
      { from: '2026-01-01T10:00:00+01:00', to: '2026-01-05T10:00:00+01:00' },
      { from: '2026-01-05T10:00:00+01:00', to: '2026-01-09T10:00:00+01:00' },
    ],
    '',
  ],
  [
    'the second begins a second before the first ends',
    [
      { from: '2026-01-01T10:00:00+01:00', to: '2026-01-05T10:00:01+01:00' },
      { from: '2026-01-05T10:00:00+01:00', to: '2026-01-09T10:00:00+01:00' },
    ],
    '0 1',
  ],
  [
    'a long one around a short one and over the start of a third',
    [
      { from: '2026-01-01', to: '2026-01-20' },
      { from: '2026-01-02', to: '2026-01-03' },
      { from: '2026-01-19', to: '2026-01-25' },
    ],
    '0 1 2',
  ],
  [
    'two with one number, far apart',
    [
      { from: '2026-01-01', to: '2026-01-05', number: 'a' },
      { from: '2026-03-01', to: '2026-03-05', number: 'b' },
      { from: '2026-05-01', to: '2026-05-05', number: 'a' },
    ],
    '0 2',
  ],
  [
    'a stay and a visit to the emergency department',
    [
      { from: '2026-01-01', to: '2026-01-05' },
      { from: '2026-01-01', to: '2026-01-02', kind: 'emergency' },
    ],
    '',
  ],
  [
    'two visits to the emergency department',
    [
      { from: '2026-01-01', to: '2026-01-03', kind: 'emergency' },
      { from: '2026-01-02', to: '2026-01-04', kind: 'emergency' },
    ],
    '0 1',
  ],
  [
    'a part of the stay, and one that was cancelled',
    [
      { from: '2026-01-01', to: '2026-01-05' },
      { from: '2026-01-02', to: '2026-01-04', isPart: true },
      { from: '2026-01-02', to: '2026-01-04', status: 'ignored' },
    ],
    '',
  ],
]

for (const [name, given, doubted] of ROWS) {
  test(`${name}: ${doubted === '' ? 'none' : doubted} in doubt`, () => {
    for (const order of [given.map(visitOf), given.map(visitOf).reverse()]) {
      const found = [...doubledIn(order).keys()].map(({ path }) => path).sort()
      assert.equal(found.join(' '), doubted)
    }
  })
}
