/** JSON and NDJSON as a sheet. Elements that are not records, and names given twice, are kept for the service to judge. */
import { parseJson } from 'patient-risk-engine/read'
import { pauses } from './pauses.ts'
import { repeatedKeys } from './repeated-keys.ts'
import { SheetFault, type Cell, type Sheet } from './sheet.ts'

interface Parsed {
  readonly records: readonly unknown[]
  readonly repeated: Map<number, Set<string>>
}

export function parseArray(text: string): Parsed {
  try {
    const value: unknown = parseJson(text.replace(/^\uFEFF/, ''))
    if (Array.isArray(value)) return { records: value as unknown[], repeated: copyOf(repeatedKeys(text, 2)) }
  } catch {
    throw new SheetFault('json')
  }
  throw new SheetFault('notRecords')
}

export async function parseLines(text: string): Promise<Parsed> {
  const records: unknown[] = []
  const repeated: Parsed['repeated'] = new Map()
  const pause = pauses()
  let line = 0
  for (const each of text.replace(/^\uFEFF/, '').split('\n')) {
    line++
    if (each.trim() === '') continue
    try {
      records.push(parseJson(each))
    } catch {
      // A single record may be printed over several lines.
      if (records.length === 0) return parseArray(`[${text}]`)
      throw new SheetFault('json', line)
    }
    const names = repeatedKeys(each, 1).get(0)
    if (names !== undefined) repeated.set(records.length - 1, new Set(names))
    await pause()
  }
  return { records, repeated }
}

export async function sheetOfRecords(
  name: string,
  kind: 'json' | 'ndjson',
  { records, repeated }: Parsed,
): Promise<Sheet> {
  if (records.length === 0) throw new SheetFault('noRows')
  const places = new Map<string, number>()
  const rows: Cell[][] = []
  const strays = new Map<number, unknown>()
  const pause = pauses()
  for (const [index, record] of records.entries()) {
    const row: Cell[] = []
    // An element that is not a record is sent as it is, so that it gets its problem and the others their answers.
    if (!isRecord(record)) strays.set(index, record)
    else {
      for (const [key, value] of Object.entries(record)) {
        const place = places.get(key) ?? places.size
        places.set(key, place)
        row[place] = value as Cell
      }
    }
    rows.push(row)
    await pause()
  }
  if (strays.size === records.length) throw new SheetFault('notRecords')
  return {
    name,
    kind,
    delimiter: ',',
    headerLine: 0,
    columns: [...places.keys()],
    rows,
    lines: [],
    rejected: new Map(),
    nonRecords: strays,
    repeated,
    corrected: new Map(),
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function copyOf(names: ReadonlyMap<number, ReadonlySet<string>>): Map<number, Set<string>> {
  return new Map([...names].map(([row, each]) => [row, new Set(each)]))
}
