/** Everything that is known of a run before its first record: the pieces to come, and the columns of a table. */
import { statSync } from 'node:fs'
import { packDeployments } from '../catalog/portable.ts'
import { BadFile } from '../tables/bad-file.ts'
import { kindOf } from './cell.ts'
import { CHUNK_BYTES, type Chunk, type TextChunk } from '../tables/chunk.ts'
import { allRows, delimiterOf } from '../tables/csv-texts.ts'
import { comesOnce, layDown, openInput } from '../tables/open-input.ts'
import type { BufferPool } from '../workers/buffer-pool.ts'
import type { RunOptions } from './options.ts'
import { parquetLayout, splitParquet } from '../tables/parquet.ts'
import type { TableShape } from './rows.ts'
import { splitCsv } from '../tables/split-csv.ts'
import { splitJson } from './split-json.ts'
import { splitNdjson } from './split-ndjson.ts'
import type { Task } from './task.ts'

/** What the threads are told of the look at the input that they are part of. */
export type Look = Pick<Task, 'writes' | 'repeated'>

export interface Prepared {
  readonly task: Task
  readonly chunks: AsyncIterable<Chunk>
  /** How much of the input has been read, from 0 to 1. */
  share(): number | undefined
  close(): void
}

export async function prepare(options: RunOptions, look: Look, buffers: BufferPool): Promise<Prepared> {
  const { from, input } = options
  if (from === 'parquet') return prepareParquet(options, look)
  const { bytes, readBytes } = openInput(input)
  const size = comesOnce(input) ? undefined : statSync(input).size
  const share = (): number | undefined =>
    size === undefined ? undefined : size === 0 ? 1 : readBytes() / size
  const chunkBytes = options.chunkBytes ?? CHUNK_BYTES
  const close = (): void => undefined
  if (from !== 'csv') {
    const chunks = from === 'json' ? splitJson(bytes, chunkBytes) : splitNdjson(bytes, chunkBytes, buffers)
    return { task: taskOf(options, look), chunks, share, close }
  }
  const pieces = splitCsv(bytes, chunkBytes)
  const header = await pieces.next()
  if (header.done === true) throw new BadFile('has no header')
  const table = csvTable(options, header.value)
  return { task: { ...taskOf(options, look), table }, chunks: pieces, share, close }
}

async function prepareParquet(options: RunOptions, look: Look): Promise<Prepared> {
  const laid = await layDown(options.input)
  try {
    const { columns, groups } = await parquetLayout(laid.path)
    const table = { shape: shapeOf(options, columns), delimiter: '' }
    let done = 0
    async function* chunks(): AsyncGenerator<Chunk> {
      for (const chunk of splitParquet(laid.path, groups)) {
        yield await Promise.resolve(chunk)
        done++
      }
    }
    const task = { ...taskOf(options, look), table }
    const share = (): number => (groups.length === 0 ? 1 : done / groups.length)
    return { task, chunks: chunks(), share, close: () => laid.remove() }
  } catch (error) {
    laid.remove()
    throw error
  }
}

function taskOf(options: RunOptions, look: Look): Task {
  const { catalog, deployment, today, from, to, gzip, errorsTo, map, keep, isNumbered } = options
  return {
    portable: packDeployments(catalog, [deployment]),
    deployment: deployment.name,
    ...{ today, from, errorsTo, keep, isNumbered },
    ...look,
    to: to === 'parquet' ? 'ndjson' : to,
    gzip: gzip && to !== 'parquet',
    keepsText: to === 'parquet',
    rename: new Map([...map].map(([ours, theirs]) => [theirs, ours])),
  }
}

function csvTable(
  options: RunOptions,
  header: TextChunk,
): { readonly shape: TableShape; readonly delimiter: string } {
  const delimiter = options.delimiter ?? delimiterOf(header.bytes)
  const [names = []] = allRows(header.bytes, delimiter, header.line)
  return { shape: shapeOf(options, names), delimiter }
}

function shapeOf(options: RunOptions, names: readonly string[]): TableShape {
  const { catalog, map, keep, isNumbered, hasDecimalComma } = options
  for (const theirs of [...map.values(), ...keep]) {
    if (!names.includes(theirs))
      throw new BadFile(`there is no column ${JSON.stringify(theirs)} in the header`)
  }
  const ours = new Map([...map].map(([own, theirs]) => [theirs, own]))
  const columns = names.map((theirs) => {
    const name = ours.get(theirs) ?? theirs
    const domain = catalog.domains.get(name)
    return {
      name,
      kind: name === 'idx' ? ('number' as const) : kindOf(domain),
      isDate: domain?.kind === 'date',
    }
  })
  columns.forEach(({ name }, place) => {
    const first = columns.findIndex((other) => other.name === name)
    if (first < place)
      throw new BadFile(`columns ${first + 1} and ${place + 1} of the header have the same name`)
  })
  const hasIdx = columns.some(({ name }) => name === 'idx')
  if (hasIdx && isNumbered)
    throw new BadFile('the records have an idx of their own, so they cannot be numbered')
  return { columns, keep: keep.map((name) => names.indexOf(name)), isNumbered: !hasIdx, hasDecimalComma }
}
