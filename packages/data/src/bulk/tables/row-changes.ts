/**
 * Which rows of a table are new, changed or gone since another run. A row has changed where its cells or its answer have: a repeated
 * identifier, a day that has passed or the number of the row in a message change the answer to cells that are as before.
 */
import { type TableEngine, fileLiteral, identifier, literal } from '../../tables/engine.ts'
import { publishFile } from '../output/sink.ts'
import { CHANGE_COLUMN, type Change, type RowChanges, type ScoreRun } from '../run.ts'
import { ROW_CELLS, ROW_KEY, fingerprintSql } from './row-cells.ts'
import type { ColumnOptions } from './table-source.ts'

export interface FoundChanges {
  /** What stands after FROM for the rows to write. */
  readonly from: string
  readonly counts: Readonly<Record<Change, number>>
  readonly notes: readonly string[]
}

/** Whether the key is what a result has as its idx. */
export function isIdentifier(key: string, { id, map, rules, isNumbered }: ColumnOptions): boolean {
  if (id !== undefined || isNumbered) return key === id
  const rule = Object.hasOwn(rules, 'idx') ? rules['idx'] : undefined
  if (rule !== undefined) return 'column' in rule && rule.column === key
  return key === (map.get('idx') ?? 'idx')
}

/** `from` stands after FROM, with the answers and the columns of a part. Notes what the rows are now. */
export async function findChanges(
  engine: TableEngine,
  { columnOptions, parts }: ScoreRun,
  changes: RowChanges,
  from: string,
): Promise<FoundChanges> {
  const { before, after, isWhole } = changes
  const isId = isIdentifier(changes.key, columnOptions)
  const key = isId ? 'CAST(idx AS VARCHAR)' : `nullif(CAST(${identifier(ROW_KEY)} AS VARCHAR), '')`
  const answer = [identifier(ROW_CELLS), 'idx', 'risk', 'error_message', ...parts.map(identifier)]
  await engine.run(
    `CREATE TEMP TABLE answered AS SELECT *, ${key} AS key, ${fingerprintSql(answer)} AS hash, row_number() OVER () AS place FROM ${from}`,
  )
  // Rows that share a key are one group, which is written as a whole.
  await engine.run(
    `CREATE TEMP TABLE now AS SELECT key, ${isId ? '' : 'CAST(min(idx) AS VARCHAR) AS idx, '}count(*) AS many,
 CASE WHEN count(*) = 1 THEN min(hash) ELSE md5_number_lower(string_agg(CAST(hash AS VARCHAR), ' ' ORDER BY hash)) END AS hash
 FROM answered WHERE key IS NOT NULL GROUP BY key`,
  )
  const temp = `${after}.unfinished`
  await engine.run(
    `COPY (SELECT * EXCLUDE (many) FROM now ORDER BY key) TO ${literal(temp)} (FORMAT parquet)`,
  )
  await publishFile(temp, after)
  const old = before === undefined ? undefined : `read_parquet(${fileLiteral(before)})`
  const same = `SELECT 1 FROM now JOIN ${old} AS old ON now.key = old.key AND now.hash = old.hash WHERE now.key = answered.key`
  const where = old === undefined || isWhole ? '' : ` WHERE NOT EXISTS (${same})`
  await engine.run(
    `CREATE TEMP TABLE changes AS SELECT *, 'changed' AS ${CHANGE_COLUMN} FROM answered${where}`,
  )
  const changed = await engine.count('changes')
  if (old !== undefined) await addDeleted(engine, old, isId, columnOptions.keep.indexOf(changes.key))
  const deleted = (await engine.count('changes')) - changed
  return {
    from: '(SELECT * FROM changes ORDER BY place)',
    counts: { changed, deleted },
    notes: await keyNotes(engine, changes.key),
  }
}

/** Marks the keys that are gone, after all other rows. */
async function addDeleted(engine: TableEngine, old: string, isId: boolean, keptPlace: number): Promise<void> {
  const columns = await engine.rows('DESCRIBE changes')
  const typeOf = (name: string): string =>
    String(columns.find(({ column_name }) => column_name === name)?.['column_type'])
  const as = (value: string, name: string): readonly [string, string] => [
    identifier(name),
    `TRY_CAST(${value} AS ${typeOf(name)})`,
  ]
  const filled = [
    as(isId ? 'key' : 'idx', 'idx'),
    ...(keptPlace < 0 ? [] : [as('key', `kept ${keptPlace}`)]),
    [CHANGE_COLUMN, "'deleted'"] as const,
    ['place', '(SELECT count(*) FROM answered) + row_number() OVER (ORDER BY key)'] as const,
  ]
  await engine.run(
    `INSERT INTO changes (${filled.map(([name]) => name).join(', ')})
 SELECT ${filled.map(([, sql]) => sql).join(', ')} FROM ${old} AS old WHERE NOT EXISTS (SELECT 1 FROM now WHERE now.key = old.key)`,
  )
}

async function keyNotes(engine: TableEngine, key: string): Promise<readonly string[]> {
  const without = await engine.count('answered WHERE key IS NULL')
  const shared = await engine.count('now WHERE many > 1')
  return [
    ...(without === 0
      ? []
      : [`: ${shown(without)} rows have no usable ${key}; they are written by every run.`]),
    ...(shared === 0
      ? []
      : [`: ${shown(shared)} values of ${key} come more than once; all rows of one count as one.`]),
  ]
}

function shown(count: number): string {
  return count.toLocaleString('en')
}
