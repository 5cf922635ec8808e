/** Makes a Parquet file of the rows that were written aside as NDJSON, a row group at a time. */
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { asideName, discard } from './sink.ts'

const GROUP_ROWS = 50_000

type Row = Readonly<Record<string, unknown>>

/**
 * The table appears under its own name. Until then the rows stay as they are: a run that is interrupted here goes on
 * from them.
 */
export async function publishTable(
  output: string,
  gzip: boolean,
  riskIsNumber: boolean,
  keep: readonly string[],
): Promise<void> {
  const table = `${output}.table`
  const packed = `${table}.gz`
  try {
    await writeParquet(asideName(output), table, riskIsNumber, keep)
    if (gzip) {
      const to = createWriteStream(packed, { mode: 0o600, flush: true })
      await pipeline(createReadStream(table), createGzip(), to)
    }
    await rename(gzip ? packed : table, output)
    await discard(output)
  } finally {
    for (const path of [table, packed]) await rm(path, { force: true })
  }
}

/** `risk` is a number or a word, by the deployment; kept columns are written as text. */
async function writeParquet(
  from: string,
  to: string,
  riskIsNumber: boolean,
  keep: readonly string[],
): Promise<void> {
  const file = await open(to, 'w', 0o600)
  try {
    const writer = new ByteWriter()
    const parquet = new ParquetWriter({
      writer,
      schema: [
        { name: 'root', num_children: 3 + keep.length },
        { name: 'idx', type: 'INT64', repetition_type: 'OPTIONAL' },
        riskIsNumber
          ? { name: 'risk', type: 'DOUBLE', repetition_type: 'OPTIONAL' }
          : { name: 'risk', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        ...['error_message', ...keep].map((name) => textColumn(name)),
      ],
    })
    const flush = async (): Promise<void> => {
      await file.write(new Uint8Array(writer.buffer, 0, writer.index))
      writer.index = 0
    }
    let rows: Row[] = []
    const writeGroup = async (): Promise<void> => {
      if (rows.length === 0) return
      await parquet.write({ columnData: columnsOf(rows, keep), rowGroupSize: GROUP_ROWS })
      await flush()
      rows = []
    }
    for await (const line of linesOf(from)) {
      rows.push(JSON.parse(line) as Row)
      if (rows.length >= GROUP_ROWS) await writeGroup()
    }
    await writeGroup()
    await parquet.finish()
    await flush()
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Only a line feed ends a line: a kept text may hold the other ends of lines that there are. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let begun = ''
  for await (const text of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (begun + String(text)).split('\n')
    begun = lines.pop() ?? ''
    yield* lines
  }
}

function textColumn(name: string): {
  name: string
  type: 'BYTE_ARRAY'
  converted_type: 'UTF8'
  repetition_type: 'OPTIONAL'
} {
  return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }
}

function columnsOf(rows: readonly Row[], keep: readonly string[]): { name: string; data: unknown[] }[] {
  const idx = rows.map((row) => (row['idx'] === null ? null : BigInt(row['idx'] as number)))
  const problems = rows.map(({ error_message }) =>
    error_message === null ? null : JSON.stringify(error_message),
  )
  return [
    { name: 'idx', data: idx },
    { name: 'risk', data: rows.map((row) => row['risk']) },
    { name: 'error_message', data: problems },
    ...keep.map((name) => ({ name, data: rows.map((row) => row[name] ?? null) })),
  ]
}
