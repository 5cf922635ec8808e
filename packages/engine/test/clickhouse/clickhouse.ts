/** Runs a printed SELECT on a table in ClickHouse, which the Python package `chdb` brings. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { ColumnType } from '../../src/sql/read-field.ts'
import { type Database, type SqlRow, textOf } from '../sql/duckdb.ts'
import { jsonRows } from '../sql/rows.ts'

const CHDB = '4.4.0'
const HOME = resolve('node_modules/.cache/clickhouse')
const PYTHON = join(HOME, 'bin/python')

const TYPES: Readonly<Record<ColumnType, string>> = {
  cell: 'Nullable(String)',
  text: 'Nullable(String)',
  integer: 'Nullable(Int64)',
  number: 'Nullable(Float64)',
  decimal: 'Nullable(Decimal(18, 6))',
  boolean: 'Nullable(Bool)',
  date: 'Nullable(Date32)',
  other: 'Array(String)',
}

/** Why ClickHouse cannot run here; undefined once its package is installed in a folder of its own. */
export function whyNoClickHouse(): string | undefined {
  if (loads()) return undefined
  if (spawnSync('python3', ['--version']).status !== 0) return 'Python 3 is needed.'
  mkdirSync(HOME, { recursive: true })
  if (spawnSync('python3', ['-m', 'venv', HOME]).status !== 0)
    return 'Python cannot make a virtual environment.'
  process.stdout.write(`installing chdb ${CHDB} into a folder of its own\n`)
  const installed = spawnSync(PYTHON, ['-m', 'pip', 'install', '--quiet', `chdb==${CHDB}`])
  if (installed.status !== 0) return 'chdb cannot be installed from the package index.'
  return loads() ? undefined : 'chdb does not load.'
}

function loads(): boolean {
  return existsSync(PYTHON) && spawnSync(PYTHON, ['-c', 'import chdb']).status === 0
}

export type Row = Readonly<Record<string, unknown>>

export interface ClickHouse extends Database {
  readonly run: (query: string) => Promise<readonly Row[]>
}

export function openClickHouse(): ClickHouse {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-clickhouse-'))
  const script = resolve('packages/engine/test/clickhouse/answer.py')
  const child = spawn(PYTHON, [script], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const run = async (query: string): Promise<readonly Row[]> => {
    child.stdin.write(`${JSON.stringify(query)}\n`)
    const { value, done } = await lines.next()
    if (done === true) throw new Error('ClickHouse has ended')
    const { rows, error } = JSON.parse(value) as { rows?: string; error?: string }
    if (rows === undefined) throw new Error((error ?? '').slice(0, LONGEST_ERROR))
    return rows.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]))
  }
  return {
    run,
    async load(name, table) {
      const columns = table.columns.map((column) => `\`${column.name}\` ${TYPES[column.type]}`)
      const shape = ['pos Int64', ...columns].join(', ')
      const file = join(folder, `${name}.ndjson`)
      writeFileSync(file, jsonRows(table).join('\n'))
      await run(`DROP TABLE IF EXISTS \`${name}\``)
      await run(`CREATE TABLE \`${name}\` (${shape}) ENGINE = Memory`)
      const quoted = `'${shape.replaceAll("'", "\\'")}'`
      await run(`INSERT INTO \`${name}\` SELECT * FROM file('${file}', 'JSONEachRow', ${quoted})`)
    },
    async rows(query) {
      return (await run(query)).map((row): SqlRow => ({
        pos: Number(row['pos']),
        idx: textOf(row['idx']),
        risk: textOf(row['risk']),
        message: textOf(row['error_message']),
        notices: textOf(row['notices']),
      }))
    },
    async close() {
      await ended(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A statement may be part of an error. */
const LONGEST_ERROR = 2_000

function ended(child: ChildProcess): Promise<unknown> {
  const exit = new Promise((done) => child.once('exit', done))
  child.stdin?.end()
  return exit
}
