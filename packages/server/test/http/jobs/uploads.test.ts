/** Bodies of jobs that arrive at a time: a key sends four of them, and more when one of them was taken. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { test } from 'node:test'
import { until } from '../../../../../test/support/until.ts'
import { JOBS, NDJSON, bearer, lines, records, serveJobs } from './serve-jobs.ts'

const MOST = 4

test('the fourth body of a key is taken, the fifth refused, and that of another key not', async (t) => {
  const service = await serveJobs(t)
  const other = bearer(await service.makeKey({ name: 'other' }))
  const submit = async (headers: object = {}): Promise<number> =>
    (await service.post(lines(records(1)), { path: JOBS, headers: { ...NDJSON, ...headers } })).status
  const open: ClientRequest[] = []
  t.after(() => {
    for (const each of open) each.destroy()
  })
  const ends: Promise<number>[] = []
  const hold = (): void => {
    const headers = { ...NDJSON, ...bearer(service.key), 'transfer-encoding': 'chunked' }
    const call = request(`${service.origin}${JOBS}`, { method: 'POST', headers })
    open.push(call)
    ends.push(
      new Promise((resolve, reject) => {
        call.once('response', (response) => resolve(response.resume().statusCode ?? 0)).once('error', reject)
      }),
    )
    call.write('{"idx":1')
  }
  // Jobs that were taken stay in the folder too.
  const folders = (): number => readdirSync(service.folder).length
  for (let held = 1; held < MOST; held++) hold()
  await until(() => folders() === MOST - 1)
  assert.equal(await submit(), 202, 'the fourth')
  hold()
  await until(() => folders() === MOST + 1)
  assert.equal(await submit(), 429, 'the fifth')
  assert.equal(await submit(other), 202)
  open[0]?.end('}\n')
  assert.equal(await ends[0], 202)
  assert.equal(await submit(), 202, 'one of them was taken')
})
