/** Reads and counts of the audit that fail are tried again, a few times with a pause. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLog } from '../../../src/log/log.ts'
import { AnchorFile } from '../../../src/store/audit/anchor-file.ts'
import { startUpkeep } from '../../../src/store/audit/audit-upkeep.ts'
import type { PageQuery } from '../../../src/store/audit/read-groups.ts'
import { withRetries } from '../../../src/store/audit/stream-groups.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../../../../test/support/until.ts'
import { storeOf } from '../memory-store.ts'
import { UNHURRIED } from './unhurried.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-retries-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a read that fails is made again on fewer rows, and named', async () => {
  const store = await storeOf(9)
  const asked: (number | undefined)[] = []
  const failing = (times: number): Store =>
    ({
      chainEnds: () => store.chainEnds(),
      readTotals: () => store.readTotals(),
      readGroups: (page: PageQuery) => {
        asked.push(page.rows)
        return asked.length <= times ? Promise.reject(new Error('PostgreSQL 57014')) : store.readGroups(page)
      },
    }) as Partial<Store> as Store
  const notes: string[] = []
  const onRetry = (note: string): void => void notes.push(note)
  const { rows, faults } = await verifyStore(failing(1), [], { rows: 8, onRetry })
  assert.deepEqual([rows, faults, asked.slice(0, 2)], [9, [], [8, 4]])
  assert.deepEqual(notes, ['reading the rows after 0 failed (PostgreSQL 57014); try 2 of 6'])
})

test('so are the ends of the chain', async () => {
  const store = await storeOf(2)
  const chainEnds = store.chainEnds.bind(store)
  let fails = 1
  store.chainEnds = () => (fails-- > 0 ? Promise.reject(new Error('PostgreSQL 57014')) : chainEnds())
  const notes: string[] = []
  const { rows } = await verifyStore(store, [], { onRetry: (note) => void notes.push(note) })
  assert.deepEqual(
    [rows, notes],
    [2, ['reading the ends of the chain failed (PostgreSQL 57014); try 2 of 6']],
  )
})

test('what always fails is tried six times, a second apart, and the last failure is thrown', async () => {
  const [notes, tries]: [string[], number[]] = [[], []]
  const began = performance.now()
  const fail = (attempt: number): Promise<never> => {
    tries.push(attempt)
    return Promise.reject(new Error(`failure ${attempt}`))
  }
  const trying = withRetries('the work', fail, (note) => notes.push(note))
  // At the same time, so that the test takes these seconds once.
  const store = await storeOf(2)
  store.tables.exec('ALTER TABLE usage RENAME TO away')
  const [events, quiet]: [string[], string[]] = [[], []]
  const anchorFile = new AnchorFile(join(folder, 'anchors'), UNHURRIED)
  const [end, endAtOnce] = [events, quiet].map((lines) =>
    startUpkeep({ store, anchorFile }, {}, createLog('info', { write: (line) => lines.push(line) })),
  )
  endAtOnce?.()
  await assert.rejects(trying, /^Error: failure 5$/)
  assert.ok(performance.now() - began > 4_900)
  assert.deepEqual(tries, [0, 1, 2, 3, 4, 5])
  assert.deepEqual(
    [notes[0], notes[4], notes.length],
    ['the work failed (failure 0); try 2 of 6', 'the work failed (failure 4); try 6 of 6', 5],
  )
  await until(() => events.some((line) => line.includes('audit-usage-failed')), { timeoutMs: 5_000 })
  end?.()
  assert.ok(!quiet.some((line) => line.includes('audit-usage-failed')), 'one that has ended says nothing')
  assert.equal((await store.readAudit({ most: 9 })).length, 2)
})
