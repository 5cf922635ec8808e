/**
 * The figures in the documents: the text between `<!-- bench NAME -->` and `<!-- /bench -->` is made from bench/results.json, so that
 * no figure is typed. `node bench/documents.ts` writes them again, as a recorded run does.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { type Results, printResults, printTable, rowsOf } from './results.ts'
import { ROOT } from './server-process.ts'

export const RESULTS_FILE = join(ROOT, 'bench', 'results.json')
export const DOCUMENTS = ['README.md', 'docs/speed.md', 'docs/scaling.md', 'docs/fhir.md'] as const
/** The requests that docs/speed.md shows. */
const SHOWN = new Set(['1 × 50 fields', '100 × 50 fields', '1,000 × 50 fields', '1 × 10 fields'])
const MARKED = /(<!-- bench ([\w-]+) -->)[^]*?(<!-- \/bench -->)/g

const RUST = 'Rust, axum, sonic-rs'

/** What each mark stands for. */
export const FIGURES: Readonly<Record<string, (results: Results) => string>> = {
  when: ({ run }) => `${run.date}, commit ${run.commit}`,
  run: ({ run }) => `${run.date}, commit ${run.commit}, ${run.rounds} rounds`,
  machine: ({ run }) => run.machine,
  'times-fastapi': (results) => ratioAt(results, '1,000 × 50 fields', 'FastAPI, pydantic 2'),
  'times-peer': (results) => ratioAt(results, '1,000 × 50 fields', 'fastify, pino, SQLite'),
  'times-rust': (results) => ratioAt(results, '1,000 × 50 fields', RUST),
  'rust-ahead': rowsWithRustAhead,
  ratios: (results) =>
    block(
      [
        'payload',
        'callers',
        'against',
        'one process',
        'range',
        'two processes',
        'range',
        'by processor time',
      ],
      rowsOf(results, 'The service against other servers')
        .filter(([payload]) => SHOWN.has(payload ?? ''))
        .map((row) => row.slice(0, 8)),
    ),
  single: (results) =>
    block(
      ['payload', 'service, µs', 'fastify alone, µs', 'ratio', 'range'],
      rowsOf(results, 'Processor time of a single record'),
    ),
  processes: (results) =>
    block(
      ['payload', 'callers', 'two against one', 'range', 'two against one without threads', 'range'],
      rowsOf(results, 'Two processes against one').map((row) => [...row.slice(0, 2), ...row.slice(5)]),
    ),
  files: (results) =>
    block(
      ['rows', 'format', 'seconds', 'processor seconds', 'memory, MB'],
      rowsOf(results, 'Files')
        .filter(([rows = '', kind]) => rows.length > '10,000'.length && kind !== 'parquet, SELECT by hand')
        .map(([rows = '', kind = '', seconds = '', , cpu = '', memory = '']) => [
          rows,
          kind,
          seconds,
          cpu,
          memory,
        ]),
    ),
  'fhir-body': (results) => rowsOf(results, 'FHIR: a Bundle')[0]?.[0] ?? '',
  'fhir-growth': (results) => `${rowsOf(results, 'FHIR: a Bundle')[0]?.[4]?.split(' ', 1)[0] ?? ''} MB`,
}

function ratioAt(results: Results, payload: string, against: string): string {
  const row = rowsOf(results, 'The service against other servers').find(
    (each) => each[0] === payload && each[2] === against,
  )
  if (row?.[3] === undefined) throw new Error(`the results do not compare ${payload} with ${against}`)
  return row[3]
}

/** In how many rows, of one process and of two, the service answers fewer records a second than Rust. */
function rowsWithRustAhead(results: Results): string {
  const rows = rowsOf(results, 'The service against other servers').filter(
    ([, , against]) => against === RUST,
  )
  const ratios = rows.flatMap((row) => [Number(row[3]), Number(row[5])])
  const lost = ratios.filter((ratio) => ratio < 1).length
  if (ratios.length === 0 || ratios.some(Number.isNaN))
    throw new Error(`the results do not compare with ${RUST}`)
  return lost === ratios.length ? 'every row' : `${lost} of ${ratios.length} rows`
}

function block(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\n\n${printTable({ columns, rows })}\n\n`
}

export function fillIn(text: string, results: Results): string {
  return text.replace(MARKED, (_all, start: string, name: string, end: string) => {
    const figure = FIGURES[name]
    if (figure === undefined) throw new Error(`no figure is called ${name}`)
    return `${start}${figure(results)}${end}`
  })
}

/** Every file that is made from the results, with its content. */
export async function documentsOf(results: Results): Promise<ReadonlyMap<string, string>> {
  const files = new Map([['bench/results.md', printResults(results)]])
  for (const document of DOCUMENTS) {
    const path = join(ROOT, document)
    const text = fillIn(readFileSync(path, 'utf8'), results)
    // The width of a column depends on its figures.
    files.set(document, await format(text, { ...(await resolveConfig(path)), filepath: path }))
  }
  return files
}

export async function writeDocuments(results: Results): Promise<void> {
  for (const [file, text] of await documentsOf(results)) writeFileSync(join(ROOT, file), text)
}

export function readResults(): Results {
  return JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as Results
}

if (import.meta.main) await writeDocuments(readResults())
