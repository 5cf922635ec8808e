/** Makes a Parquet file of the rows that were written aside as NDJSON, a row group at a time. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'

const GROUP_ROWS = 50_000

type Row = Readonly<Record<string, unknown>>

/** `risk` is a number or a word, by the deployment; kept columns are written as text. */
export async function writeParquet(
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
    for await (const line of createInterface({ input: createReadStream(from), crlfDelay: Infinity })) {
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
    ...keep.map((name) => ({ name, data: rows.map((row) => textOf(row[name])) })),
  ]
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
