/** PostgreSQL for tests starts from a folder that its user cannot enter. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { findPrograms, postgresPrograms } from '../../../../test/support/postgres-programs.ts'
import { needsPostgres, startPostgres } from '../../../../test/support/postgres-server.ts'

const isRoot = process.getuid?.() === 0
const { skip } = needsPostgres()

/** Only its owner may enter it. */
const closed = mkdtempSync(join(tmpdir(), 'patient-risk-closed-'))
after(() => rmSync(closed, { recursive: true, force: true }))

test('programs in a closed folder whose name has spaces serve a database', { skip }, async () => {
  const folder = join(closed, 'with two spaces')
  cpSync(dirname(dirname(postgresPrograms().initdb)), folder, { recursive: true, verbatimSymlinks: true })
  const programs = findPrograms(folder)
  // Another user than root's cannot run them there.
  assert.equal(programs.initdb.startsWith(closed), !isRoot)
  assert.equal(programs.account.uid !== undefined, isRoot)
  const server = await startPostgres(programs)
  try {
    const client = new pg.Client({ connectionString: await server.newDatabase() })
    await client.connect()
    const { rows } = await client.query('SELECT 1 AS one')
    await client.end()
    assert.deepEqual(rows, [{ one: 1 }])
  } finally {
    await server.remove()
  }
})

test('a folder without the programs is reported', () => {
  assert.throws(() => findPrograms(closed), /initdb/)
})
