/** Scores a JSON or NDJSON file: it is read up to three times, and the results appear when they are complete. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, createZstdCompress } from 'node:zlib'
import { BadFile } from '../../tables/bad-file.ts'
import { EngineError, TableEngine, fileLiteral, identifier, literal } from '../../tables/engine.ts'
import { type TempFolder, makeTempFolder } from '@patient-risk/runtime'
import { identityOf, isReadOnce, spoolToTempFile } from '../../tables/open-input.ts'
import { openCheckpoint } from '../checkpoint.ts'
import { type Form, copyResults, publish } from '../output/publish.ts'
import { markedName, publishFile, tempName, writeWhole } from '../output/sink.ts'
import type { RunInput, ScoreRun } from '../run.ts'
import type { RunReport } from '../summary.ts'
import { type LinesState, scoreChunks } from './score-chunks.ts'
import { watchLines } from './watch-lines.ts'

/** Throws a BadFile when the input cannot be read; then nothing has appeared under the output's name. */
export async function scoreLines(given: ScoreRun): Promise<RunReport> {
  const [{ path: input }] = given.inputs as [RunInput]
  const file = isReadOnce(input) ? undefined : await identityOf(input)
  const checkpoint = await openCheckpoint<LinesState>(given)
  const { run } = checkpoint
  const folder = makeTempFolder()
  const path = run.output ?? join(folder.path, 'results')
  // A run from a pipe to a pipe never holds all records.
  const isStream = file === undefined && run.output === undefined && run.to === 'ndjson'
  const target = isStream && run.errors === undefined ? undefined : path
  try {
    const hasNotices = run.parts.includes('notices')
    // Notices name what the whole input leaves in doubt, so what comes by pipe is copied first.
    const isCopied = hasNotices && file === undefined
    const source = isCopied ? await spoolToTempFile(input, folder.path, 'input') : input
    const noticed = hasNotices ? await watchLines(run, source) : []
    const files = { source, target, checkpoint: file === undefined ? undefined : checkpoint }
    const { isMarked, ...report } = await scoreChunks(run, files, noticed)
    // A file that is still being written would be scored in part, or in parts that do not belong together.
    if (file !== undefined && (await identityOf(input)) !== file)
      throw new BadFile('has changed while it was read; start again when it is whole')
    // The files appear under their own names. Until then the rows stay, so that a run that is interrupted here can be resumed.
    const rows = isMarked ? markedName(path) : tempName(path)
    if (target !== undefined) await publish(run, path, (form) => writeForm(run, rows, folder, form))
    await checkpoint.remove()
    return report
  } catch (error) {
    if (error instanceof BadFile) await checkpoint.remove().catch(() => undefined)
    throw error
  } finally {
    folder.remove()
    // What a resumed run continues from is kept. Failing to remove the rest must not hide the reason for it.
    await rm(markedName(path), { force: true }).catch(() => undefined)
    if (!checkpoint.exists()) await rm(tempName(path), { force: true }).catch(() => undefined)
  }
}

/** What of a run says how its rows are written. */
export interface RowsShape extends Pick<ScoreRun, 'parts' | 'source' | 'threads' | 'deployment'> {
  readonly columnOptions: Pick<ScoreRun['columnOptions'], 'keep'>
}

/** Writes rows, which are NDJSON, in a form. */
export async function writeForm(
  { columnOptions: { keep }, parts, source, threads, deployment }: RowsShape,
  rows: string,
  folder: Pick<TempFolder, 'path'>,
  form: Form,
): Promise<void> {
  const { path, to, compression, isErrors } = form
  if (to === 'ndjson' && compression === undefined && !isErrors) return publishFile(rows, path)
  if (to === 'json' || to === 'ndjson') {
    const packers = { gzip: createGzip, zstd: createZstdCompress }
    const packer = compression === undefined ? [] : [packers[compression]()]
    const lines = Readable.from(linesOf(rows, to === 'json', isErrors))
    return writeWhole(path, (temp) => pipeline([lines, ...packer, createWriteStream(temp)]))
  }
  using engine = await TableEngine.open(threads)
  const kept = new Map(keep.map((name) => [name, identifier(name)]))
  const copy = (lines: string): Promise<void> => {
    const from = linesSource(lines, deployment.output.kind === 'number', parts, keep)
    return copyResults(engine, from, { kept, parts, source }, form)
  }
  await copy(rows).catch(async (error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    const repaired = join(folder.path, 'repaired')
    await pipeline(withoutHalfPairs(linesOf(rows, false, isErrors)), createWriteStream(repaired))
    await copy(repaired)
  })
}

/** Half of a surrogate pair, which JSON can write. Pairs and all other escapes are skipped. */
const HALF_PAIR = /\\(?:ud[89ab]..\\ud[c-f]..|(ud[89a-f]..)|[^])/gi

/** No table can hold half of a surrogate pair, so it becomes the replacement character. */
async function* withoutHalfPairs(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield text.replace(HALF_PAIR, (all, half) => (half ? '\\ufffd' : all))
}

async function* linesOf(path: string, isArray: boolean, isErrors: boolean): AsyncGenerator<string> {
  let rest = ''
  let before = isArray ? '[\n' : ''
  for await (const part of createReadStream(path, { encoding: 'utf8', highWaterMark: 1024 * 1024 })) {
    const all = (rest + (part as string)).split('\n')
    rest = all.pop() ?? ''
    const lines = isErrors ? all.filter((line) => !/^.{0,60}"error_message":null[,}]/.test(line)) : all
    if (lines.length === 0) continue
    yield before + (isArray ? lines.join(',\n') : `${lines.join('\n')}\n`)
    if (isArray) before = ',\n'
  }
  if (isArray) yield before === '[\n' ? '[]\n' : '\n]\n'
}

/** Rows that were written a line each, as a source for a copy. Kept values are texts, as JSON writes them. */
function linesSource(
  path: string,
  riskIsNumber: boolean,
  parts: ScoreRun['parts'],
  keep: readonly string[],
): string {
  const columns = [
    "idx: 'BIGINT'",
    `risk: '${riskIsNumber ? 'DOUBLE' : 'VARCHAR'}'`,
    ...['error_message', ...parts].map((name) => `${name}: 'JSON'`),
    ...keep.map((name) => `${literal(name)}: 'VARCHAR'`),
  ]
  return `read_json(${fileLiteral(path)}, format = 'newline_delimited', maximum_object_size = 67108864,
 compression = 'uncompressed', columns = {${columns.join(', ')}})`
}
