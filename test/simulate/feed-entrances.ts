/**
 * Feeds that mean something else, through the real interfaces: the service over HTTP and as a stream, `score` on files, and the statement
 * of `sql --doubts` in DuckDB. All fields are sent. A feed is named where one of its wrong fields is in doubt.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { runHere } from '../support/run-command.ts'
import { SCORE, type Served, serve } from '../support/serve.ts'
import { type PatientRecord, patientsOf } from './feed-patients.ts'
import type { Table } from './table.ts'
import { type WrongFeed, WRONG_FEEDS } from './wrong-feeds.ts'

const MODEL = 'readmission30'
const BODY = 50
/** Assessments of the invented patients lie before this moment. */
const NOW = '2026-11-18T12:00:00Z'
const WITHIN = 200
const LINES = 'application/x-ndjson'
const JSON_BODY = 'application/json'
const ENTRANCES = ['HTTP', 'stream', 'NDJSON file', 'CSV file', 'SQL'] as const
type Entrance = (typeof ENTRANCES)[number]

/** The fields that each entrance has doubted, and whether the first faulty record has a problem of a field. */
export interface Found {
  readonly doubted: ReadonlySet<string>
  /** The fields of the problems of the first record that has any; undefined where none has. */
  readonly firstProblems?: readonly string[]
}

export class Entrances {
  private readonly service: Served
  private readonly folder = mkdtempSync(join(tmpdir(), 'feed-entrances-'))
  private files = 0

  private constructor(service: Served) {
    this.service = service
  }

  static async open(): Promise<Entrances> {
    const deployment = { name: 'ward', basePath: '/', model: MODEL, output: 'number' } as const
    const service = await serve({ deployments: [deployment], isOverSocket: true })
    service.clock.set(NOW)
    return new Entrances(service)
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true })
    await this.service.close()
  }

  async ask(entrance: Entrance, records: readonly PatientRecord[]): Promise<Found> {
    switch (entrance) {
      case 'HTTP':
        return this.http(records)
      case 'stream':
        return { doubted: await this.stream(records) }
      case 'NDJSON file':
        return { doubted: await this.score('ndjson', linesOf(records)) }
      case 'CSV file':
        return { doubted: await this.score('csv', csvOf(records)) }
      case 'SQL':
        return { doubted: await this.sql(records) }
    }
  }

  private async http(records: readonly PatientRecord[]): Promise<Found> {
    const key = await this.service.makeKey()
    let firstProblems: readonly string[] | undefined
    let doubted: ReadonlySet<string> = new Set()
    for (let start = 0; start < records.length; start += BODY) {
      const answer = await this.post(key, JSON.stringify(records.slice(start, start + BODY)), JSON_BODY)
      doubted = fieldsIn(answer.headers.get('risk-feed-doubt'))
      const results = (await answer.json()) as readonly { readonly error_message: string | null }[]
      const wrong = results.find(({ error_message }) => error_message !== null && error_message.length > 0)
      firstProblems ??= wrong && [JSON.stringify(wrong.error_message)]
    }
    return firstProblems === undefined ? { doubted } : { doubted, firstProblems }
  }

  /** The header of a stream is written before its records are read: the next call has it. */
  private async stream(records: readonly PatientRecord[]): Promise<ReadonlySet<string>> {
    const key = await this.service.makeKey()
    await (await this.post(key, linesOf(records), LINES)).text()
    const after = await this.post(key, linesOf(records.slice(0, 1)), LINES)
    await after.text()
    return fieldsIn(after.headers.get('risk-feed-doubt'))
  }

  private post(key: string, body: string, type: string): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    return fetch(this.service.origin + SCORE, { method: 'POST', headers, body })
  }

  private async score(type: string, text: string): Promise<ReadonlySet<string>> {
    const file = join(this.folder, `${this.files++}.${type}`)
    writeFileSync(file, text)
    const { code, err } = await runHere(['score', file, '--model', MODEL, '--output', `${file}.out.csv`])
    const named = [...err.matchAll(/^ {2}\S+: (?<field>\w+): /gm)].map(
      ({ groups }) => groups?.['field'] ?? '',
    )
    const stopped = code === 1 ? [...err.matchAll(/\b[a-z]\w+\b/g)].map(([word]) => word) : []
    return new Set([...named, ...stopped])
  }

  private async sql(records: readonly PatientRecord[]): Promise<ReadonlySet<string>> {
    const file = join(this.folder, `${this.files++}.csv`)
    writeFileSync(file, csvOf(records))
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    try {
      await connection.run(`CREATE TABLE patients AS FROM read_csv('${file}', sample_size = -1)`)
      const columns = await connection.runAndReadAll('DESCRIBE patients')
      const named = columns
        .getRowObjectsJson()
        .map(({ column_name: name, column_type: type }) => `${textOf(name)}:${typeOf(textOf(type))}`)
      const args = ['sql', '--dialect', 'duckdb', '--model', MODEL, '--table', 'patients', '--doubts']
      const { out, err, code } = await runHere([...args, '--columns', named.join(',')])
      if (code !== 0) throw new Error(err)
      const rows = await connection.runAndReadAll(out)
      return new Set(rows.getRowObjectsJson().map(({ field }) => textOf(field)))
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}

function typeOf(duckdb: string): string {
  if (duckdb === 'BIGINT') return 'integer'
  if (duckdb === 'DOUBLE') return 'number'
  if (duckdb === 'BOOLEAN') return 'boolean'
  return duckdb === 'DATE' ? 'date' : 'text'
}

function fieldsIn(header: unknown): ReadonlySet<string> {
  if (typeof header !== 'string') return new Set()
  return new Set(header.split(', ').map((member) => member.split(';')[0] ?? ''))
}

function linesOf(records: readonly PatientRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

function csvOf(records: readonly PatientRecord[]): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const cell = (value: unknown): string => {
    const text = textOf(value)
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [names, ...records.map((record) => names.map((name) => cell(record[name])))]
    .map((row) => `${row.join(',')}\n`)
    .join('')
}

type Draw = (site: number, count: number) => readonly PatientRecord[]

/** Of so many hospitals, how many have a wrong field in doubt at each entrance. */
export async function countNamed(
  entrances: Entrances,
  feed: WrongFeed,
  sites: Readonly<Record<Entrance, number>>,
  draw: Draw = patientsOf,
): Promise<Readonly<Record<string, string>>> {
  const counts: Record<string, string> = {}
  for (const entrance of ENTRANCES) {
    let named = 0
    for (let site = 0; site < sites[entrance]; site++) {
      const records = feed.change(draw(site, feed.within ?? WITHIN)).slice(0, feed.within ?? WITHIN)
      const { doubted } = await entrances.ask(entrance, records)
      if (feed.fields.some((field) => doubted.has(field))) named++
    }
    counts[entrance] = `${named} of ${sites[entrance]}`
  }
  return counts
}

export async function simulate({ reduced }: { readonly reduced: boolean }): Promise<Table[]> {
  const few = reduced ? 1 : 10
  const sites = { HTTP: few, stream: few, 'NDJSON file': few, 'CSV file': few, SQL: few }
  const entrances = await Entrances.open()
  try {
    const rows: string[][] = []
    for (const feed of WRONG_FEEDS) {
      const counts = await countNamed(entrances, feed, sites)
      rows.push([feed.name, ...ENTRANCES.map((entrance) => counts[entrance] ?? '')])
    }
    return [
      {
        title: `Feeds named through the interfaces, of ${few} hospitals`,
        head: ['feed', ...ENTRANCES],
        rows,
      },
    ]
  } finally {
    await entrances.close()
  }
}
