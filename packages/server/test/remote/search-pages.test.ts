/** Results of searches: what says that a Bundle is a part of one, and that what the first page states holds for all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RemoteCall, RemoteServer } from '../../src/remote/remote-server.ts'
import { fetchResults, partOfResult } from '../../src/remote/search-pages.ts'

/** The relation of a link · whether there are other pages. */
const RELATIONS = [
  ['next', true],
  ['prev', true],
  ['previous', true],
  ['Previous', true],
  ['self', false],
  ['first', false],
  ['preview', false],
  ['nextpage', false],
] as const
for (const [relation, isPart] of RELATIONS) {
  test(`a link "${relation}" ${isPart ? 'makes' : 'does not make'} a Bundle a part of a result`, () => {
    const why = partOfResult({
      resourceType: 'Bundle',
      type: 'searchset',
      link: [
        { relation: 'self', url: 'x' },
        { relation, url: 'x' },
      ],
    })
    assert.equal(why !== undefined, isPart)
  })
}

const BASE = 'https://fhir.example.org/r4/'
const CALL = {} as RemoteCall

/** Answers with one page after the other, each with the total that it states and one entry. */
function serverOf(totals: readonly unknown[]): RemoteServer {
  let page = 0
  const call = (): Promise<Buffer> => {
    const own = page++
    const isLast = own === totals.length - 1
    const link = isLast ? [] : [{ relation: 'next', url: `${BASE}Encounter?page=${own + 1}` }]
    const entry = [{ resource: { resourceType: 'Encounter', id: `e${own}` } }]
    const bundle = { resourceType: 'Bundle', type: 'searchset', total: totals[own], link, entry }
    return Promise.resolve(Buffer.from(JSON.stringify(bundle)))
  }
  return { base: new URL(BASE), addressOf: (url: URL) => url, call } as unknown as RemoteServer
}

/** How many pages a result has · whether they are read. */
const PAGES = [
  [19, true],
  [20, true],
  [21, false],
] as const
for (const [pages, isRead] of PAGES) {
  test(`a result of ${pages} pages is ${isRead ? 'read' : 'refused'}`, async () => {
    const server = serverOf(Array.from({ length: pages }, () => pages))
    const fetched = fetchResults(server, { encounters: 'Encounter?patient=p' }, 'p', CALL)
    if (isRead) assert.equal(((await fetched)['encounters'] as { entry: unknown[] }).entry.length, pages)
    else await assert.rejects(fetched, /gave more than 20 pages/)
  })
}

/** The totals that two pages of one entry each state · whether they are the whole result. */
const TOTALS: readonly (readonly [readonly unknown[], boolean])[] = [
  [[2, 2], true],
  [[2, undefined], true],
  [[undefined, undefined], true],
  [['2', undefined], true],
  [[1, 2], true],
  [[3, 3], false],
  [[3, undefined], false],
  [['3', undefined], false],
  [[3, 1], false],
]
for (const [totals, isWhole] of TOTALS) {
  test(`two pages that state ${JSON.stringify(totals)} are ${isWhole ? 'the whole result' : 'refused'}`, async () => {
    const fetched = fetchResults(serverOf(totals), { encounters: 'Encounter?patient=p' }, 'p', CALL)
    if (isWhole) assert.equal(((await fetched)['encounters'] as { entry: unknown[] }).entry.length, 2)
    else await assert.rejects(fetched, /has fewer entries than its total/)
  })
}
