/** CDS Hooks: what a search in the window of the model, or one page of a result, shows of the history. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Resource, STAY, encounter } from '../fhir/source.ts'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { request, searchset } from './requests.ts'

let served: Awaited<ReturnType<typeof serveAdapters>>
before(async () => {
  served = await serveAdapters()
})
after(() => served.close())

const stay = (id: string, start: string, end: string): Resource => encounter(id, 'IMP', start, end)
const NEXT = { link: [{ relation: 'next', url: 'https://h.example/fhir?page=2' }], total: 60 }
const page = (...encounters: readonly Resource[]): Resource => ({ ...searchset(...encounters), ...NEXT })
/** Every three weeks, the newest first. */
const visits = (count: number): readonly Resource[] =>
  Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.UTC(2026, 1, 20) - at * 21 * 86_400_000).toISOString().slice(0, 10)
    return encounter(`v${at}`, 'AMB', day, day)
  })

type Case = readonly [string, number, RegExp, Resource]

/** The window of the stay of 2 March 2026 begins on 2 March 2025, and the search on 15 February 2025. */
const CASES: readonly Case[] = [
  // 49 visits every three weeks end in May 2023, before the window: no stay is left out of it.
  ['a page of 50 Encounters back before the window', 200, /inpatientAdmissions 0/, page(STAY, ...visits(49))],
  [
    'a stay of the window is on the page',
    200,
    /inpatientAdmissions 1/,
    page(STAY, stay('a', '2025-09-10', '2025-09-15'), stay('b', '2024-09-10', '2024-09-15')),
  ],
  // Ten visits reach back to August 2025 only.
  ['a page that ends within the window', 412, /./, page(STAY, ...visits(10))],
  ['the last one ends within the window', 412, /./, page(STAY, stay('b', '2024-09-10', '2025-03-05'))],
  ['the last one has not ended', 412, /./, page(STAY, encounter('b', 'IMP', '2024-09-10'))],
  [
    'not the newest first',
    412,
    /./,
    page(stay('a', '2024-09-10', '2024-09-15'), STAY, stay('b', '2024-01-10', '2024-01-15')),
  ],
  [
    'an Encounter without a period',
    412,
    /./,
    page(STAY, encounter('x', 'IMP'), stay('b', '2024-01-10', '2024-01-15')),
  ],
  ['the last one ends in a year', 412, /./, page(STAY, stay('b', '2023', '2024'))],
  ...['prev', 'previous', 'Prev'].map((relation): Case => [
    `a later page, with a link ${relation}`,
    412,
    /./,
    { ...searchset(STAY, stay('b', '2024-01-10', '2024-01-15')), link: [{ relation, url: 'x' }] },
  ]),
  ...['self', 'first', 'last'].map((relation): Case => [
    `the whole result, with a link ${relation}`,
    200,
    /inpatientAdmissions 0/,
    { ...searchset(STAY, stay('b', '2024-01-10', '2024-01-15')), link: [{ relation, url: 'x' }] },
  ]),
  [
    'fewer than the total without a next page',
    412,
    /./,
    { ...searchset(STAY, stay('b', '2024-01-10', '2024-01-15')), total: 3 },
  ],
  // The search begins on 15 February 2025 by the clock of the server, which may be a day behind.
  [
    'a window that begins on the day of the search',
    200,
    /not searched as far back/,
    searchset(stay('index', '2026-02-15', '2026-03-09')),
  ],
  // It ended on the first day of the window, so another one may have begun on that day.
  ['the last one ends on the first day', 412, /./, page(STAY, stay('b', '2024-09-10', '2025-03-02'))],
  [
    'the last one ends the day before',
    200,
    /inpatientAdmissions 0/,
    page(STAY, stay('b', '2024-09-10', '2025-03-01')),
  ],
  // The stay began in December, so the window begins in December 2024; the search did not go back that far.
  [
    'a stay that is longer than a month',
    200,
    /inpatientAdmissions: The Encounters were not searched as far back/,
    searchset(stay('index', '2025-12-20', '2026-03-09'), stay('a', '2024-11-10', '2025-03-15')),
  ],
  // A month and five days before the day of the call: the search begins on 15 February 2025, the window on 10 February 2025.
  [
    'a stay five days too long',
    200,
    /not searched as far back/,
    searchset(stay('index', '2026-02-10', '2026-03-09')),
  ],
  [
    'a stay that just fits',
    200,
    /inpatientAdmissions 0/,
    searchset(stay('index', '2026-02-16', '2026-03-09')),
  ],
]
for (const [name, status, detail, encounters] of CASES) {
  test(`${status}: ${name}`, async () => {
    const answer = await served.send({
      path: '/cds-services/readmission',
      json: request({ encounters }),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, detail)
  })
}
