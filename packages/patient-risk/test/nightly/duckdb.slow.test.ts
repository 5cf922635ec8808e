/** The recipe for DuckDB, on this machine. `npm run test:object-store` runs it on a server that speaks the protocol of S3. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dayNights, onDuckDb } from './day-nights.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-nightly-duckdb-'))
after(() => rmSync(folder, { recursive: true }))

test('each night scores the days that are new or changed, and all of them after a new version of the model', () =>
  dayNights({ folder, root: folder }, onDuckDb))

test('outputs are for their owner alone', () => {
  const output = join(folder, 'risks', 'day=2026-11-17', 'risks.parquet')
  assert.equal(statSync(output).mode & 0o077, 0)
})

test('without any day nothing is changed', () => {
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  const statement = join(empty, 'risks.sql')
  writeFileSync(statement, 'SELECT 1')
  const args = ['--sql', statement, '--patients', empty, '--risks', join(empty, 'risks')]
  const { status, stderr } = spawnSync(process.execPath, ['examples/duckdb/nightly.js', ...args], {
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stderr, /There are no days in .*; nothing was changed\./)
})
