/** The audit on the page: a question may look at many rows before one fits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAudit } from '../src/operations/admin-calls.ts'
import { connectTo } from '../src/service.ts'

const ROW = { seq: 7 }

/** Pages that the service gives one after the other, how often it is asked, and what is shown. */
const CASES = [
  ['a page with a row', [{ rows: [ROW], next: 3 }], { rows: [ROW], next: 3 }],
  ['no row at all', [{ rows: [], next: null }], { rows: [], next: null }],
  [
    'a row after empty pages',
    [
      { rows: [], next: 9 },
      { rows: [], next: 8 },
      { rows: [ROW], next: null },
    ],
    { rows: [ROW], next: null },
  ],
  [
    'more empty pages than somebody would wait for',
    Array.from({ length: 20 }, (_each, place) => ({ rows: [], next: 90 - place })),
    { rows: [], next: 71 },
  ],
] as const

for (const [what, pages, shown] of CASES) {
  test(`the audit: ${what}`, async () => {
    const asked: string[] = []
    connectTo({
      fetch(path) {
        asked.push(path)
        return Promise.resolve(Response.json(pages[asked.length - 1]))
      },
    })
    assert.deepEqual(await readAudit({ key: 'k', outcome: '' }, 25, 99), shown)
    const starts = [99, ...pages.map(({ next }) => next)].slice(0, pages.length)
    assert.deepEqual(
      asked,
      starts.map((before) => `/admin/audit?most=25&key=k&before=${before}`),
    )
  })
}
