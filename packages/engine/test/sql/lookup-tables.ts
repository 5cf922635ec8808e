/** The form of a statement that answers single rows says in PostgreSQL what the engine says, repeated idx included. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { postgres } from '../../src/sql/dialect.ts'
import { needsPostgres, useDatabases, whyNoPostgres } from '../../../../test/support/postgres-server.ts'
import { DEFINITIONS } from './cases.ts'
import { type Case, differences, printFor, randomCase } from './compare.ts'
import { openPostgres } from './postgres.ts'

type OpenPostgres = Awaited<ReturnType<typeof openPostgres>>

/** Opens a database before the tests of a file and closes it afterwards. */
export function useLookups(): () => OpenPostgres {
  let opened: OpenPostgres | undefined
  after(() => opened?.close())
  const newDatabase = useDatabases()
  before(async () => {
    if (whyNoPostgres() === undefined) opened = await openPostgres(await newDatabase())
  })
  return () => opened ?? assert.fail('there is no database')
}

export function agreeOnLookups(
  database: () => OpenPostgres,
  models: readonly ModelDefinition[],
  rows: number,
): void {
  for (const [index, model] of models.entries()) {
    test(`${model.id}: ${rows} rows, and as many without repeats`, needsPostgres(), async () => {
      const given = { ...randomCase(DEFINITIONS, model, index + 1, rows, true), notices: {} }
      for (const [each, isRepeated] of [
        [given, undefined],
        [withoutRepeats(given), 'FALSE'],
      ] as const) {
        await database().load('patients', each.table)
        await database().client.query('CREATE INDEX ON patients (idx)')
        const query = printFor(each, postgres, 'patients', { isLookup: true, isRepeated })
        const differing = differences(each, await database().rows(query))
        assert.deepEqual(differing.slice(0, 3), [])
      }
    })
  }
}

function withoutRepeats(given: Case): Case {
  const { columns, rows } = given.table
  return { ...given, table: { columns, rows: rows.map((row, position) => [position, ...row.slice(1)]) } }
}
