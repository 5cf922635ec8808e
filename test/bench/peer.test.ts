/** The peer of the benchmark does the work that it is compared by: the same answers, a checked key, a durable row and a line for each. */
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { bodyFile } from '../../bench/bodies.ts'
import { SHAPES, loadPlan } from '../../bench/payloads.ts'
import { answersOf, requireChecks, requireSameAnswers } from '../../bench/same-answers.ts'
import type { Server } from '../../bench/server-process.ts'
import { startFastifyPeer, startScript, startService, stopAll } from '../../bench/start-servers.ts'

const RECORDS = 200
const place = { plan: loadPlan(), folder: mkdtempSync(join(tmpdir(), 'bench-peer-test-')) }
let service: Server
let each: Server
let grouped: Server

before(async () => {
  ;[service, each, grouped] = await Promise.all([
    startService('service', 'bytes'),
    startFastifyPeer('one commit for each', place, 'each'),
    startFastifyPeer('grouped', place, 'grouped'),
  ])
})

after(async () => {
  await stopAll([service, each, grouped])
  rmSync(place.folder, { recursive: true, force: true })
})

for (const shape of SHAPES) {
  for (const isFaulty of [false, true]) {
    test(`the peer answers ${isFaulty ? 'faulty' : 'clean'} records as the service does: ${shape}`, async () => {
      await requireSameAnswers([service, each, grouped], bodyFile(place, shape, RECORDS, isFaulty))
    })
  }
}

for (const shape of SHAPES) {
  test(`a clean body has no problem: ${shape}`, async () => {
    const answers = await answersOf(service, readFileSync(bodyFile(place, shape, 1_000, false)))
    assert.deepEqual(
      answers.filter((result) => result.error_message !== null),
      [],
    )
  })
}

test('the peer notices wrong values', () => requireChecks([service, each, grouped]))

test('a server with other answers or without checks is found', async () => {
  const floor = await startScript('bare floor', 'bench/servers/floor.ts')
  try {
    const file = bodyFile(place, '10 fields', 1, false)
    await assert.rejects(requireSameAnswers([service, floor], file), /bare floor answers .*0\.1234/)
    await assert.rejects(requireChecks([floor]), /bare floor does not check \{"age":480\}/)
  } finally {
    await floor.stop()
  }
})

const KEYS = [
  ['no key', undefined, 401],
  ['another secret', (key: string) => `${key.split('.', 1)[0] ?? ''}.${'0'.repeat(64)}`, 401],
  ['an unknown id', (key: string) => `000000000000.${key.split('.')[1] ?? ''}`, 401],
  ['the key', (key: string) => key, 200],
] as const

for (const [name, change, status] of KEYS) {
  test(`the peer answers ${status} to a request with ${name}, and keeps a row of it`, async () => {
    for (const server of [each, grouped]) {
      const rowsBefore = rowsOf(server)
      const authorization = change === undefined ? {} : { authorization: `Bearer ${change(server.key)}` }
      const headers = { ...authorization, 'content-type': 'application/json' }
      const body = readFileSync(bodyFile(place, '10 fields', 3, false))
      const response = await fetch(`http://127.0.0.1:${server.port}${server.path}`, {
        method: 'POST',
        headers,
        body,
      })
      assert.equal(response.status, status)
      const added = rowsOf(server).slice(rowsBefore.length)
      assert.deepEqual(
        added.map((row) => [row['status'], row['records'], row['scored']]),
        [status === 200 ? [200, 3, 3] : [401, null, null]],
      )
    }
  })
}

/** The rows of the audit, as another program reads them from the file. */
function rowsOf(server: Server): readonly Readonly<Record<string, unknown>>[] {
  const files = globSync(join(place.folder, 'peer-*', 'peer.db')).sort()
  const rows = files.map((file) => {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      assert.equal(database.prepare('PRAGMA journal_mode').get()?.['journal_mode'], 'wal')
      const id = database.prepare('SELECT id FROM keys').get()?.['id']
      return id === server.key.split('.', 1)[0]
        ? database.prepare('SELECT * FROM audit ORDER BY seq').all()
        : []
    } finally {
      database.close()
    }
  })
  return rows.flat()
}
