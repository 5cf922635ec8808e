/**
 * `npm run test:clickhouse -- [--only NAME]`: 120,000 random rows of all models, every unusual value and contradictions give the
 * engine's answers in ClickHouse. Skipped where Python or the package index is missing.
 */
import { parseArgs } from 'node:util'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { clickhouse } from '../../src/sql/dialect.ts'
import { selectFor } from '../../src/sql/select.ts'
import { treeModel } from '../../../../test/support/tree-models.ts'
import { Random } from '../../../../test/support/random.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'
import { DEFINITIONS, MODELS, catalogueModel } from '../sql/cases.ts'
import { type Case, differences, printFor, randomCase } from '../sql/compare.ts'
import { CONTRADICTORY_TABLES, contradictory } from '../sql/contradictory.ts'
import { unusualCase } from '../sql/unusual-values.ts'
import { type ClickHouse, openClickHouse, whyNoClickHouse } from './clickhouse.ts'

const ROWS = 4_000
const SHOWN = 3
/** ClickHouse takes minutes to plan a statement over more. */
const MOST_COLUMNS = 100
const { values } = parseArgs({ options: { only: { type: 'string' } } })
const HUNDRED = treeModel(loadForFuzz(), new Random(1), [
  'trees-hundred',
  { count: 100, depth: 6, rounding: 'both' },
])

interface Named {
  readonly name: string
  readonly given: Case
}

/** Typed columns with notices, and text cells. */
function randomCases(model: ModelDefinition): readonly Named[] {
  const typed = { ...randomCase(DEFINITIONS, model, 1, ROWS, true), notices: {} }
  const cells = randomCase(DEFINITIONS, model, 2, ROWS, false)
  return [
    { name: `${model.id}, typed, with notices`, given: typed },
    { name: `${model.id}, cells`, given: cells },
  ]
}

const cases: readonly Named[] = [
  ...[...MODELS, HUNDRED].flatMap(randomCases),
  ...MODELS.map((model) => ({
    name: `${model.id}, every unusual value`,
    given: unusualCase(DEFINITIONS, model),
  })),
  ...Array.from({ length: CONTRADICTORY_TABLES }, (_, seed) => ({
    name: `contradictions ${seed + 1}`,
    given: contradictory(seed),
  })).filter(({ given }) => given.table.columns.length <= MOST_COLUMNS),
].filter(({ name }) => name.includes(values.only ?? ''))

async function compare(database: ClickHouse, { name, given }: Named): Promise<number> {
  await database.load('patients', given.table)
  const differing = differences(given, await database.rows(printFor(given, clickhouse, 'patients')))
  process.stdout.write(`${name}: ${given.table.rows.length} rows, ${differing.length} different\n`)
  for (const each of differing.slice(0, SHOWN)) process.stdout.write(`${each}\n`)
  return differing.length
}

/** Identifiers with characters that a text of SQL or of JSON escapes, kept columns, and the source of an answer. */
async function compareIdentifiers(database: ClickHouse): Promise<number> {
  const ids = ['A"1\\', "B'", 'C\n', 'D', 'D', '', null]
  const columns = [
    { name: 'patient', type: 'text' as const },
    { name: 'age', type: 'integer' as const },
    { name: 'charlson_total', type: 'integer' as const },
  ]
  await database.load('named', { columns, rows: ids.map((id) => [id, 45, 0]) })
  const definition = catalogueModel('charlson10y')
  const select = selectFor(
    DEFINITIONS,
    { definition, digest: '' },
    {
      dialect: clickhouse,
      source: 'named',
      columns: new Map(columns.slice(1).map((column) => [column.name, column])),
      id: 'patient',
      keep: ['pos'],
      deploymentDigest: "a\\b'c",
      output: { kind: 'number' },
    },
  )
  const rows = (await database.run(select)).toSorted(
    (one, other) => Number(one['pos']) - Number(other['pos']),
  )
  const found = rows.map((row) => [row['idx'], row['risk'], row['deployment_digest']])
  const expected = ids.map((id) => [id === '' ? null : id, id && id !== 'D' ? 0.017 : null, "a\\b'c"])
  const isSame = JSON.stringify(found) === JSON.stringify(expected)
  process.stdout.write(`identifiers: ${isSame ? 'the same' : `DIFFERENT ${JSON.stringify(found)}`}\n`)
  return isSame ? 0 : 1
}

async function main(): Promise<number> {
  const missing = whyNoClickHouse()
  if (missing !== undefined) {
    process.stdout.write(`test:clickhouse is skipped: ${missing}\n`)
    return 0
  }
  const database = openClickHouse()
  let rows = 0
  let different = 0
  try {
    different += await compareIdentifiers(database)
    for (const each of cases) {
      different += await compare(database, each)
      rows += each.given.table.rows.length
    }
  } finally {
    await database.close()
  }
  process.stdout.write(`${rows} rows compared, ${different} different\n`)
  return different === 0 ? 0 : 1
}

process.exitCode = await main()
