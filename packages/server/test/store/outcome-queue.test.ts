/** Counts of a large request wait in SQLite until they are added to their tables: they are counted from the first moment, and once. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { CellColumn, CountedCell, OutcomeCell, ShadowCounts } from '@patient-risk/monitor'
import { NO_LIMIT } from '@patient-risk/runtime'
import { entry } from './contract/each-store.ts'
import { TEST_SECRET, openFileStore } from './open-file.ts'
import { NOW, cell, countedIn, outcomesOf } from './outcome-requests.ts'
import { type Differences, acceptanceEntry } from '../../src/store/audit/accept-changes.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { PART_CELLS } from '../../src/store/outcomes/outcome-queue.ts'
import { packShadow } from '../../src/store/outcomes/packed-shadow.ts'
import { type ThreadMethods, sqliteThread } from '../../src/store/sqlite/sqlite-thread.ts'
import { OutcomeTurns } from '../../src/store/sqlite/outcome-turns.ts'
import { inFolder } from '../../../../test/support/run-command.ts'

const FILE = 'patient-risk.sqlite'
const MONTHS = ['2026-08', '2026-09', '2026-10']
const GROUPS = ['', 'ward 3']

/** Different cells, over months, groups, bins, both sides of the threshold and all kinds. */
function cells(count: number): readonly OutcomeCell[] {
  return Array.from({ length: count }, (_, at) =>
    cell({
      digest: at % 5 === 0 ? 'E' : 'D',
      month: MONTHS[at % 3] as string,
      group: GROUPS[Math.floor(at / 3) % 2] as string,
      bin: Math.floor(at / 6) % 1_000,
      flagged: at % 2,
      outcome: at % 4,
      number: 1 + (at % 7),
      units: 100 + at,
    }),
  )
}

/** The calls of the thread without the client around it: nothing is added before it is told to. */
function threadOf(folder: string): (...call: Parameters<ThreadMethods['run']>) => Promise<unknown> {
  const run = sqliteThread({ path: join(folder, FILE), secrets: [TEST_SECRET] })
  return (method, args) => run(method, args, NO_LIMIT)
}

function waiting(folder: string): number {
  const database = new DatabaseSync(join(folder, FILE), { readOnly: true })
  const { parts } = database.prepare('SELECT count(*) AS parts FROM outcome_queue').get() as { parts: number }
  database.close()
  return parts
}

const sorted = (found: readonly CountedCell[]): readonly string[] =>
  found.map((each) => JSON.stringify(Object.entries(each).sort())).sort()

const QUESTIONS: readonly (readonly [columns: readonly CellColumn[], group?: string])[] = [
  [[]],
  [['month']],
  [['month', 'group']],
  [['bin', 'flagged']],
  [['month', 'bin', 'flagged']],
  [['bin'], 'ward 3'],
  [['month'], ''],
]

test('whatever waits is in every figure, before each part is added and after', () =>
  inFolder(async (folder) => {
    const run = threadOf(folder)
    await run('open', [])
    const small = cells(PART_CELLS / 2)
    const large = cells(3 * PART_CELLS)
    await run('countOutcomes', [outcomesOf('ward', { request: 'a', cells: small })])
    await run('countOutcomes', [outcomesOf('ward', { request: 'b', cells: large })])
    await run('countOutcomes', [outcomesOf('ward', { request: 'b', cells: large })])
    await run('countOutcomes', [outcomesOf('other', { request: 'c', cells: large })])
    const all = [...small, ...large].filter(
      ({ digest, month }) => digest === 'D' && month >= '2026-09' && month <= '2026-10',
    )
    const read = async (): Promise<readonly (readonly string[])[]> => {
      const answers = []
      for (const [columns, group] of QUESTIONS) {
        const args = ['ward', 'D', ['2026-09', '2026-10'], columns, group]
        answers.push(sorted((await run('readOutcomes', args)) as readonly CountedCell[]))
      }
      return answers
    }
    const expected = QUESTIONS.map(([columns, group]) => {
      const sums = new Map<string, CountedCell>()
      for (const each of all.filter((one) => group === undefined || one.group === group)) {
        const key = JSON.stringify([each.outcome, ...columns.map((column) => each[column])])
        const known = sums.get(key) ?? { number: 0, units: 0 }
        const named = Object.fromEntries(columns.map((column) => [column, each[column]]))
        const { outcome } = each
        sums.set(key, {
          ...named,
          outcome,
          number: known.number + each.number,
          units: known.units + each.units,
        })
      }
      return sorted([...sums.values()])
    })
    let steps = 0
    assert.deepEqual(await read(), expected)
    while (await run('addQueuedOutcomes', [])) {
      steps++
      assert.deepEqual(await read(), expected)
    }
    assert.ok(steps >= 6, `${steps} parts`)
    assert.equal(waiting(folder), 0)
    await run('close', [])
  }))

for (const [count, parts] of [
  [PART_CELLS - 1, 0],
  [PART_CELLS, 0],
  [PART_CELLS + 1, 5],
] as const) {
  test(`a request with ${count} counts leaves ${parts} parts waiting`, () =>
    inFolder(async (folder) => {
      const run = threadOf(folder)
      await run('open', [])
      // One group: as many bins as counts, so two parts for each of these tables, and one for the totals.
      const own = Array.from({ length: count }, (_, bin) => cell({ bin, flagged: 0 }))
      await run('countOutcomes', [outcomesOf('ward', { cells: own })])
      assert.equal(waiting(folder), parts)
      await run('close', [])
    }))
}

/** One of each cell, moved from its kind to another. */
const corrections = (count: number): readonly OutcomeCell[] =>
  Array.from({ length: count }, (_, bin) => [
    cell({ bin, flagged: 0, number: -1, units: -1_503 }),
    cell({ bin, flagged: 0, outcome: 0 }),
  ]).flat()

test('a large request of corrections waits like any other, and takes from what waits', () =>
  inFolder(async (folder) => {
    const run = threadOf(folder)
    await run('open', [])
    const all = Array.from({ length: PART_CELLS }, (_, bin) => cell({ bin, flagged: 0 }))
    const request = (name: string): object => ({
      ...outcomesOf('ward', { request: name, cells: corrections(PART_CELLS) }),
      corrected: all,
    })
    assert.equal(await run('countOutcomes', [request('too early')]), 'changed')
    assert.equal(waiting(folder), 0)
    await run('countOutcomes', [outcomesOf('ward', { cells: all })])
    assert.equal(await run('countOutcomes', [request('correction')]), 'counted')
    assert.ok(waiting(folder) > 0, 'others had to wait for all of its counts')
    assert.equal(await run('countOutcomes', [request('again')]), 'changed')
    const kinds = async (): Promise<readonly string[]> =>
      sorted((await run('readOutcomes', ['ward', 'D', ['', '9999-12'], []])) as readonly CountedCell[])
    const expected = sorted([
      { outcome: 0, number: PART_CELLS, units: PART_CELLS * 1_503 },
      { outcome: 1, number: 0, units: 0 },
    ])
    assert.deepEqual(await kinds(), expected)
    while (await run('addQueuedOutcomes', [])) assert.deepEqual(await kinds(), expected)
    await run('close', [])
    const store = await openFileStore(join(folder, FILE))
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  }))

for (const [count, rows] of [
  [PART_CELLS / 2, 0],
  [PART_CELLS / 2 + 1, 3],
] as const) {
  test(`${count} different risks of the answer and of the shadow leave ${rows} parts of it waiting, read where they wait`, () =>
    inFolder(async (folder) => {
      const run = threadOf(folder)
      await run('open', [])
      const own = { digest: 'D', month: '2026-10', flagged: 0, shadowFlagged: 1, outcome: 1, number: 1 }
      const shadowCells = Array.from({ length: count }, (_, bin) => {
        return { ...own, answerBin: bin, shadowBin: bin + 1, units: 5, answerUnits: 7 }
      })
      const shadow = { digest: 'shadow S', cells: packShadow(shadowCells, PART_CELLS) }
      await run('countOutcomes', [outcomesOf('ward', { shadow })])
      const database = new DatabaseSync(join(folder, FILE), { readOnly: true })
      const parts = database.prepare("SELECT id FROM outcome_queue WHERE target LIKE 'shadow%'").all()
      database.close()
      assert.equal(parts.length, rows)
      const read = async (name = 'shadow S', digest = 'D'): Promise<readonly unknown[]> => {
        const { risks, flags } = (await run('readShadow', ['ward', digest, name])) as ShadowCounts
        const risksOf = (isShadow: boolean): readonly number[] => {
          const some = risks.filter((each) => each.isShadow === isShadow)
          const add = (figure: (each: (typeof some)[number]) => number): number =>
            some.reduce((sum, each) => sum + figure(each), 0)
          return [add(({ number }) => number), add(({ units }) => units), add(({ bin }) => bin)]
        }
        return [risksOf(true), risksOf(false), flags.map((each) => Object.values(each))]
      }
      const sum = (count * (count - 1)) / 2
      const expected = [
        [count, 5 * count, sum + count],
        [count, 7 * count, sum],
        [['2026-10', 0, 1, 1, count]],
      ]
      const none = [[0, 0, 0], [0, 0, 0], []]
      assert.deepEqual(await read(), expected)
      assert.deepEqual(await read('shadow T'), none)
      assert.deepEqual(await read('shadow S', 'E'), none)
      while (await run('addQueuedOutcomes', [])) assert.deepEqual(await read(), expected)
      assert.equal(waiting(folder), 0)
      assert.deepEqual(await read(), expected)
      await run('close', [])
    }))
}

for (const [columns, group, table] of [
  [['month', 'group'], undefined, 'outcome_totals'],
  [['month'], 'ward 3', 'outcome_totals'],
  [['month', 'bin', 'flagged'], undefined, 'outcome_bins'],
  [['bin'], 'ward 3', 'outcome_counts'],
  [['bin', 'group'], undefined, 'outcome_counts'],
] as const) {
  test(`figures by ${columns.join(', ')}${group === undefined ? '' : ' of a group'} are read from ${table}, the smallest that has them`, () =>
    inFolder(async (folder) => {
      const run = threadOf(folder)
      await run('open', [])
      await run('countOutcomes', [outcomesOf('ward', { cells: [cell({ group: 'ward 3' })] })])
      const database = new DatabaseSync(join(folder, FILE))
      database.exec(`UPDATE ${table} SET number = 17`)
      database.close()
      const found = await run('readOutcomes', ['ward', 'D', ['', '9999-12'], columns, group])
      assert.deepEqual(
        (found as readonly CountedCell[]).map(({ number }) => number),
        [17],
      )
      await run('close', [])
    }))
}

test('the verifying counts what waits, and finds what somebody has changed there', () =>
  inFolder(async (folder) => {
    const run = threadOf(folder)
    await run('open', [])
    await run('countOutcomes', [outcomesOf('ward', { cells: cells(2 * PART_CELLS) })])
    await run('close', [])
    const store = await openFileStore(join(folder, FILE))
    assert.ok(waiting(folder) > 0)
    assert.deepEqual((await verifyStore(store)).faults, [])
    const database = new DatabaseSync(join(folder, FILE))
    database.exec('DELETE FROM outcome_queue WHERE id = (SELECT max(id) FROM outcome_queue)')
    database.close()
    assert.match((await verifyStore(store)).faults.join('; '), /in outcome_totals are not those/)
    await store.close()
  }))

test('where an operator accepts a changed count, what waits is added first, and not once more after that', () =>
  inFolder(async (folder) => {
    const run = threadOf(folder)
    await run('open', [])
    await run('countOutcomes', [outcomesOf('ward')])
    const database = new DatabaseSync(join(folder, FILE))
    database.exec('UPDATE outcome_counts SET number = number + 1')
    database.close()
    const wide = Array.from({ length: 2 * PART_CELLS }, (_, bin) => cell({ bin, flagged: 0 }))
    await run('countOutcomes', [outcomesOf('wide', { deployment: 'ward', cells: wide })])
    // Its counts are in their table, and their sums wait.
    for (let part = 0; part < 2; part++) await run('addQueuedOutcomes', [])
    const oneEvent = ['ward', 'D', '2026-10', 0, 1, 0, 0, 0] as const
    const accepted: Differences = { isSealed: true, keys: [], outcomes: [oneEvent], scored: [] }
    await run('acceptChanges', [accepted, acceptanceEntry(NOW, 'accepted', accepted)])
    assert.equal(waiting(folder), 0)
    await run('close', [])
    const store = await openFileStore(join(folder, FILE))
    assert.equal(await countedIn(store, 'ward'), wide.length + 2)
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  }))

test('what a process left waiting is added by the upkeep of the next one', () =>
  inFolder(async (folder) => {
    const run = threadOf(folder)
    await run('open', [])
    await run('countOutcomes', [outcomesOf('ward', { cells: cells(2 * PART_CELLS) })])
    await run('close', [])
    const store = await openFileStore(join(folder, FILE))
    const before = await countedIn(store, 'ward')
    await store.tidyAudit(NOW)
    assert.equal(waiting(folder), 0)
    assert.equal(await countedIn(store, 'ward'), before)
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  }))

test('audit rows are written between the parts of a large request', () =>
  inFolder(async (folder) => {
    const store = await openFileStore(join(folder, FILE))
    const large = cells(10_000)
    assert.equal(await store.countOutcomes(outcomesOf('ward', { cells: large })), 'counted')
    await store.appendAudit([entry('neighbour')])
    assert.ok(waiting(folder) > 0, 'the row of a neighbour has waited for all parts')
    await store.close()
  }))

test('a second large request begins when the parts of the first are added', async () => {
  const done: string[] = []
  let parts = 3
  const gate = Promise.withResolvers<undefined>()
  const turns = new OutcomeTurns(async () => {
    await gate.promise
    done.push('part')
    return --parts > 0
  }, 1)
  const count = (name: string) => (): Promise<string> => {
    done.push(name)
    return Promise.resolve(name)
  }
  assert.equal(await turns.take(count('first')), 'first')
  const second = turns.take(count('second'))
  assert.deepEqual(done, ['first'])
  gate.resolve(undefined)
  assert.equal(await second, 'second')
  assert.deepEqual(done.slice(0, 5), ['first', 'part', 'part', 'part', 'second'])
})

test('a large request whose turn does not come in time is refused and never begun; those after it go on', async () => {
  const gate = Promise.withResolvers<boolean>()
  const begun: string[] = []
  const count = (name: string) => (): Promise<void> => {
    begun.push(name)
    return Promise.resolve()
  }
  const turns = new OutcomeTurns(() => gate.promise, 0.001)
  await turns.take(count('first'))
  await assert.rejects(turns.take(count('late')), /the store did not answer in time/)
  gate.resolve(false)
  await turns.take(count('next')).catch(() => turns.take(count('next')))
  assert.deepEqual(begun, ['first', 'next'])
})

test('parts that cannot be added do not stop the next request', async () => {
  const turns = new OutcomeTurns(() => Promise.reject(new Error('the disk is full')), 1)
  for (const name of ['first', 'second']) assert.equal(await turns.take(() => Promise.resolve(name)), name)
})
