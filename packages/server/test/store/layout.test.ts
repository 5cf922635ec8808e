/** The layout of a store has one number for both kinds: older ones are upgraded, newer ones refused by name, and people can see it. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { QueueSeal } from '@patient-risk/runtime'
import { makeEntry } from '../../src/store/audit/audit-row.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { LAYOUT, LAYOUTS, type Layout, type StoreKind, layoutOf } from '../../src/store/layout.ts'
import { STORE_FILE, openStore } from '../../src/store/open.ts'
import { STEPS as POSTGRES_STEPS } from '../../src/store/postgres/migrations.ts'
import { PostgresDatabase } from '../../src/store/postgres/database.ts'
import { readLayout } from '../../src/store/read-layout.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { STEPS as SQLITE_STEPS } from '../../src/store/sqlite/migrations.ts'
import type { Store } from '../../src/store/store.ts'
import type { CellColumn } from '@patient-risk/monitor'
import { NOW, outcomesOf } from './outcome-requests.ts'
import { runHere } from '../../../../test/support/run-command.ts'
import { readPage, rowsOf } from '../../../../test/support/document-pages.ts'
import { serve } from '../../../../test/support/serve.ts'
import { TEST_SECRET } from './open-file.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'
import { useDatabases } from '../../../../test/support/postgres-server.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const newDatabase = useDatabases()
const SEAL = new QueueSeal([TEST_SECRET])

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-layout-'))
  folders.push(folder)
  return folder
}

test('layouts are numbered in their order, and the last one is what the steps of both stores make', () => {
  assert.deepEqual(
    LAYOUTS.map(({ number }) => number),
    LAYOUTS.map((_, at) => at + 1),
  )
  const { sqlite, postgresql } = LAYOUTS.at(-1) as Layout
  assert.deepEqual([sqlite, postgresql], [SQLITE_STEPS.length, POSTGRES_STEPS.length])
})

test('from layout 5 on, each layout is one step in both stores', () => {
  const [fourth, ...later] = LAYOUTS.slice(3)
  for (const [at, { sqlite, postgresql }] of later.entries()) {
    assert.equal(sqlite, (fourth?.sqlite ?? 0) + at + 1)
    assert.equal(postgresql, (fourth?.postgresql ?? 0) + at + 1)
  }
})

/** How many steps a store has, and which layout that is. Later layouts than 4 follow from the one before. */
const STEP_COUNTS: readonly (readonly [StoreKind, steps: number, layout: number])[] = [
  ['sqlite', 0, 0],
  ['sqlite', 2, 0],
  ['sqlite', 3, 1],
  ['sqlite', 4, 1],
  ['sqlite', 5, 2],
  ['sqlite', 8, 2],
  ['sqlite', 9, 3],
  ['sqlite', 10, 3],
  ['sqlite', 11, 4],
  ['sqlite', 12, 5],
  ['sqlite', 13, 6],
  ['sqlite', 21, 14],
  ['postgresql', 0, 0],
  ['postgresql', 1, 1],
  ['postgresql', 2, 1],
  ['postgresql', 3, 2],
  ['postgresql', 5, 2],
  ['postgresql', 6, 3],
  ['postgresql', 7, 3],
  ['postgresql', 8, 4],
  ['postgresql', 9, 5],
  ['postgresql', 10, 6],
  ['postgresql', 18, 14],
]

for (const [kind, steps, layout] of STEP_COUNTS) {
  test(`${steps} steps of ${kind} are layout ${layout}`, () => assert.equal(layoutOf(kind, steps), layout))
}

/** The texts of the steps that made layouts 1 to 4. Whoever changes a released step has a store that others do not have. */
const RELEASED: readonly (readonly [StoreKind, digest: string])[] = [
  ['sqlite', 'b3EHQE+X7Sc5dhQVTJ3CQpZBTeiiwhrLgIzDKudzdn8='],
  ['postgresql', 'dHucUNfS4X2g/h0m2zsYDPs7LfLprPpCQZ6istYKS5c='],
]

for (const [kind, digest] of RELEASED) {
  test(`released steps of ${kind} have not changed`, () => {
    const steps: readonly unknown[] = kind === 'sqlite' ? SQLITE_STEPS : POSTGRES_STEPS
    const texts = steps
      .slice(0, LAYOUTS[3]?.[kind])
      .flat()
      .map((part) => (typeof part === 'string' ? part.replaceAll(/\s+/g, ' ') : 'a function'))
    assert.equal(hash('sha256', JSON.stringify(texts), 'base64'), digest)
  })
}

test('docs/storage.md lists the layouts', () => {
  const listed = rowsOf('docs/storage.md')
    .filter(([number = '']) => /^\d+$/.test(number))
    .map(([number, madeBy]) => [Number(number), madeBy])
  assert.deepEqual(
    listed,
    LAYOUTS.map(({ number, madeBy }) => [number, madeBy]),
  )
  assert.ok(readPage('docs/storage.md').includes(`This version uses layout ${LAYOUT}`))
})

/** A store that a test makes, changes and opens. */
interface Place {
  readonly env: Readonly<Record<string, string>>
  /** With the tables after so many steps, and one key. */
  make(steps: number): Promise<void>
  setSteps(steps: number): Promise<void>
  /** Without the store. */
  run(sql: string): Promise<unknown>
  steps(): Promise<number>
  open(): Promise<Store>
  readLayout(): Promise<number>
}

/** From layout 5 on the chain knows the keys: one that is put in after that is found by the verifying. */
const BEFORE_KNOWN_KEYS = LAYOUTS[3] as Layout
/** What every layout has of a key. */
const INSERT_KEY = `INSERT INTO keys (id, name, digest, scopes, created_at, limits) VALUES ('k1', 'ward 7', 'x', '[]', 5, '{}')`

function sqlitePlace(): Place {
  const folder = newFolder()
  const path = join(folder, STORE_FILE)
  const inFile = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path)
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    env: { DATA_DIR: folder },
    async make(steps) {
      const database = new DatabaseSync(path)
      database.exec('PRAGMA journal_mode = WAL')
      const { query } = new SqliteDatabase(database)
      const take = async (from: number, to: number): Promise<void> => {
        for (const part of SQLITE_STEPS.slice(from, to).flat()) {
          if (typeof part === 'string') database.exec(part)
          else await part(query, SEAL, path)
        }
      }
      const before = Math.min(steps, BEFORE_KNOWN_KEYS.sqlite)
      await take(0, before)
      database.exec(INSERT_KEY.replace("'x'", "x'00'"))
      database.exec('BEGIN')
      await take(before, steps)
      database.exec(`PRAGMA user_version = ${steps}; COMMIT`)
      database.close()
    },
    setSteps(steps) {
      return this.run(`PRAGMA user_version = ${steps}`) as Promise<void>
    },
    run(sql) {
      inFile((database) => {
        database.exec(sql)
      })
      return Promise.resolve()
    },
    steps: () =>
      Promise.resolve(
        inFile((database) => Number(database.prepare('PRAGMA user_version').get()?.['user_version'])),
      ),
    open: async () => (await openStore(folder, String(TEST_SECRET), undefined, UNHURRIED)).store,
    readLayout: () => readLayout(folder, undefined),
  }
}

async function postgresPlace(): Promise<Place> {
  const folder = newFolder()
  const url = await newDatabase()
  const run = async (sql: string): Promise<pg.QueryResult<{ readonly version: number }>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return await client.query(sql)
    } finally {
      await client.end()
    }
  }
  return {
    env: { DATA_DIR: folder, DATABASE_URL: url },
    run,
    async make(steps) {
      const database = new PostgresDatabase(url, UNHURRIED.limitFactor)
      await database.longTransaction(async (query) => {
        await query('CREATE TABLE schema_version (version integer NOT NULL)')
        await query('INSERT INTO schema_version VALUES ($1)', steps)
        const take = async (from: number, to: number): Promise<void> => {
          for (const part of POSTGRES_STEPS.slice(from, to).flat()) {
            if (typeof part === 'string') await query(part)
            else await part(query, SEAL)
          }
        }
        const before = Math.min(steps, BEFORE_KNOWN_KEYS.postgresql)
        await take(0, before)
        await query(INSERT_KEY)
        await take(before, steps)
      })
      await database.close()
    },
    async setSteps(steps) {
      await run(`UPDATE schema_version SET version = ${steps}`)
    },
    steps: async () => (await run('SELECT version FROM schema_version')).rows[0]?.version ?? 0,
    open: async () => (await openStore(folder, String(TEST_SECRET), url, UNHURRIED)).store,
    readLayout: () => readLayout(folder, url, UNHURRIED.limitFactor),
  }
}

const KINDS: readonly (readonly [StoreKind, () => Place | Promise<Place>])[] = [
  ['sqlite', sqlitePlace],
  ['postgresql', postgresPlace],
]

for (const [kind, newPlace] of KINDS) {
  const latest = LAYOUTS.at(-1)?.[kind] ?? 0
  describe(kind, () => {
    for (const layout of LAYOUTS) {
      test(`a store of layout ${layout.number} is opened, keeps its key and takes rows`, async () => {
        const place = await newPlace()
        await place.make(layout[kind])
        assert.equal(await place.readLayout(), layout.number)
        const store = await place.open()
        const keys = await store.listKeys()
        assert.deepEqual(
          keys.map(({ id, name }) => [id, name]),
          [['k1', 'ward 7']],
        )
        await store.appendAudit([makeEntry({ at: 9_000, requestId: 'r', keyId: 'k1', call: 'score' })])
        const { faults, rows } = await verifyStore(store)
        assert.deepEqual([faults, rows], [[], 1])
        await store.close()
        assert.deepEqual([await place.readLayout(), await place.steps()], [LAYOUT, latest])
      })
    }

    test('the outcomes of layout 4 are in all tables of counts, and their requests are still known', async () => {
      const place = await newPlace()
      await place.make((LAYOUTS[3] as Layout)[kind])
      await place.run(`INSERT INTO outcomes VALUES
        ('ward', 'D', '2026-10', '', 150, 1, 1, 2, 3006), ('ward', 'D', '2026-10', 'a', 150, 1, 1, 3, 4500),
        ('ward', 'D', '2026-10', 'a', 151, 1, 0, 4, 6040), ('ward', 'D', '2026-11', 'a', 150, 0, 0, 5, 7500),
        ('ward', 'E', '2026-11', '', -1, 1, 1, 6, 0), ('other', 'D', '2026-10', '', 150, 1, 1, 7, 10500)`)
      await place.run(`INSERT INTO outcome_requests VALUES ('id of ward', 'body of ward', ${NOW})`)
      const store = await place.open()
      const read = async (columns: CellColumn[], group?: string): Promise<readonly unknown[]> =>
        (await store.readOutcomes('ward', 'D', ['', '9999-12'], columns, group))
          .map((cell) => Object.values(cell).join(' '))
          .sort()
      assert.deepEqual(await read([]), ['0 9 13540', '1 5 7506'])
      assert.deepEqual(await read(['month', 'group']), [
        '2026-10  1 2 3006',
        '2026-10 a 0 4 6040',
        '2026-10 a 1 3 4500',
        '2026-11 a 0 5 7500',
      ])
      assert.deepEqual(await read(['bin', 'flagged']), ['150 0 0 5 7500', '150 1 1 5 7506', '151 1 0 4 6040'])
      assert.deepEqual(await read(['bin'], 'a'), ['150 0 5 7500', '150 1 3 4500', '151 0 4 6040'])
      assert.equal((await store.readOutcomes('ward', 'E', ['', '9999-12'], ['bin']))[0]?.number, 6)
      assert.equal((await store.readOutcomes('other', 'D', ['', '9999-12'], ['bin']))[0]?.number, 7)
      // A retry from before the upgrade.
      assert.equal(await store.countOutcomes(outcomesOf('ward')), 'repeated')
      assert.equal(await store.countOutcomes(outcomesOf('ward', { request: 'new' })), 'counted')
      assert.deepEqual(await read([]), ['0 9 13540', '1 6 9009'])
      await store.close()
    })

    for (const before of LAYOUTS.filter(({ number }) => number === 4 || number === 5)) {
      test(`a state of layout ${before.number} has no digest of its numbers, and gets one when it is served again`, async () => {
        const place = await newPlace()
        await place.make(before[kind])
        await place.run(`INSERT INTO outcome_states VALUES ('ward', 'D', 'm@1.0.0', 'number', 0.15, NULL)`)
        const store = await place.open()
        const state = {
          deployment: 'ward',
          digest: 'D',
          model: 'm@1.0.0',
          output: 'number',
          threshold: 0.15,
          centre: null,
          riskDigest: '',
        } as const
        const read = async (): Promise<readonly object[]> =>
          (await store.readStates('ward')).map((each) => ({ ...each }))
        assert.deepEqual(await read(), [state])
        await store.noteStates([{ ...state, riskDigest: 'R' }])
        assert.deepEqual(await read(), [{ ...state, riskDigest: 'R' }])
        await store.close()
      })
    }

    for (const more of [1, 2]) {
      test(`a store that is ${more} newer is refused by its layout, and stays as it is`, async () => {
        const place = await newPlace()
        await (await place.open()).close()
        await place.setSteps(latest + more)
        const refusal = new RegExp(
          `newer version: it has layout ${LAYOUT + more}, and this version uses layout ${LAYOUT}\\. .*backup`,
        )
        await assert.rejects(place.open(), { name: 'StoreError', message: refusal })
        assert.equal(await place.steps(), latest + more)
        const serving = await runHere(['serve'], { ...place.env, PORT: '0' })
        assert.deepEqual([serving.code, refusal.test(serving.err)], [1, true], serving.err)
        const checked = await runHere(['check'], place.env)
        assert.deepEqual([checked.code, refusal.test(checked.err)], [1, true], checked.err)
      })
    }

    test('check prints the layout of a store that is missing, older or current, and changes nothing', async () => {
      const place = await newPlace()
      const say = async (): Promise<string> => {
        const { code, out } = await runHere(['check'], place.env)
        assert.equal(code, 0)
        return /^Store: .*$/m.exec(out)?.[0] ?? ''
      }
      assert.equal(await say(), `Store: not created yet; the first start creates it with layout ${LAYOUT}.`)
      const before = LAYOUTS.at(-2) as Layout
      await place.make(before[kind])
      const files = readdirSync(place.env['DATA_DIR'] ?? '')
      assert.equal(
        await say(),
        `Store: layout ${before.number} (${before.madeBy}); the first start upgrades it to layout ${LAYOUT}. Make a backup first.`,
      )
      assert.deepEqual(readdirSync(place.env['DATA_DIR'] ?? ''), files)
      assert.equal(await place.steps(), before[kind])
      const store = await place.open()
      // While it is in use too.
      assert.equal(await say(), `Store: layout ${LAYOUT}, which this version uses.`)
      await store.close()
    })
  })
}

test('check does not fail where the database does not answer', async () => {
  const env = { DATA_DIR: newFolder(), DATABASE_URL: 'postgres://postgres:secret@127.0.0.1:1/none' }
  const { code, out, err } = await runHere(['check'], env)
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^Store: its layout could not be read \(.+\)\.$/m)
  assert.doesNotMatch(out, /secret/)
})

test('readiness states the layout', async (t) => {
  const served = await serve()
  t.after(() => served.close())
  const answer = await served.call({ path: '/health/ready' })
  assert.partialDeepStrictEqual(answer.json(), { store: true, storeLayout: LAYOUT })
})
