/** What a run writes: the results, and once more those with problems where they are asked for. */
import { createReadStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { TableEngine } from '../../tables/engine.ts'
import { type TempFolder, makeTempFolder } from '../../tables/open-input.ts'
import { writing } from '../cannot-write.ts'
import { copyResults, linesSource } from '../copy-results.ts'
import type { WrittenFormat } from '../format.ts'
import { type Sink, asideName, convertedName, discard, openAside, publish, standardOutput } from '../sink.ts'
import { type Checkpoint, removeCheckpoint } from './checkpoint.ts'
import { type LinesRun, isDirect } from './prepare.ts'
import type { ChunkResult } from './task.ts'

export class Results {
  private readonly run: LinesRun
  private output: Sink | undefined
  private errors: Sink | undefined
  /** For rows that are converted before they go to the standard output. */
  private folder: TempFolder | undefined

  constructor(run: LinesRun) {
    this.run = run
  }

  /** Starts a new file, or continues where an earlier run was interrupted. */
  async open(from: Checkpoint | undefined): Promise<void> {
    const { output, errors } = this.run
    // What an earlier run has left does not fit what is written from here on.
    if (output !== undefined && from === undefined) await removeCheckpoint(output)
    if (output === undefined && !isDirect(this.run)) this.folder = makeTempFolder()
    const path = this.path
    this.output = path === undefined ? standardOutput() : await openAside(path, from?.outputBytes ?? 0)
    this.errors = errors === undefined ? undefined : await openAside(errors, from?.errorsBytes ?? 0)
  }

  async write({ output, errors }: Pick<ChunkResult, 'output' | 'errors'>): Promise<void> {
    await this.output?.write(output)
    await this.errors?.write(errors)
  }

  /** Makes what was written durable, and says how much that is. */
  async sync(): Promise<Pick<Checkpoint, 'outputBytes' | 'errorsBytes'>> {
    await this.output?.sync()
    await this.errors?.sync()
    return { outputBytes: this.output?.size ?? 0, errorsBytes: this.errors?.size ?? 0 }
  }

  /** After the last of `records` results. */
  async end(records: number): Promise<void> {
    const { to, compression } = this.run
    const isPacked = isDirect(this.run) && compression === 'gzip'
    if (to === 'json' && isDirect(this.run)) {
      const end = Buffer.from(records === 0 ? '[]\n' : '\n]\n')
      await this.output?.write(isPacked ? gzipSync(end) : end)
    }
    // An empty file is not a gzip file.
    if (isPacked && this.output?.size === 0) await this.output.write(gzipSync(''))
    await this.sync()
    await this.close()
  }

  /** The files appear under their own names. */
  async publish(): Promise<void> {
    const { output, errors, errorsTo, to } = this.run
    const path = this.path
    const mustConvert = path !== undefined && !isDirect(this.run)
    const mustConvertErrors = errors !== undefined && errorsTo !== 'ndjson'
    if (mustConvert || mustConvertErrors) {
      const folder = makeTempFolder()
      const engine = await TableEngine.open({ folder, threads: this.run.threads })
      try {
        if (mustConvert) await this.convert(engine, path, to)
        if (mustConvertErrors) await this.convert(engine, errors, errorsTo ?? 'ndjson')
      } finally {
        engine.close()
        folder.remove()
      }
    } else if (output !== undefined) await publish(output)
    if (errors !== undefined && !mustConvertErrors) await publish(errors)
    if (output !== undefined && !mustConvert && mustConvertErrors) await publish(output)
    if (this.folder !== undefined && path !== undefined) {
      await pipeline(createReadStream(path), process.stdout, { end: false })
    }
    if (output !== undefined) await removeCheckpoint(output)
    this.folder?.remove()
  }

  async close(): Promise<void> {
    await this.output?.close()
    await this.errors?.close()
    this.output = undefined
    this.errors = undefined
  }

  /** Removes everything. What cannot be removed must not hide the reason for it. */
  async discard(): Promise<void> {
    const { output, errors } = this.run
    const written = [output, errors].filter((path) => path !== undefined)
    await Promise.allSettled(written.map(discard))
    if (output !== undefined) await removeCheckpoint(output).catch(() => undefined)
    this.folder?.remove()
  }

  private get path(): string | undefined {
    return this.run.output ?? (this.folder === undefined ? undefined : `${this.folder.path}/results`)
  }

  /** Until the new file is whole the rows stay, so that a run that is interrupted here can be resumed. */
  private async convert(engine: TableEngine, path: string, to: WrittenFormat): Promise<void> {
    const { keep, deployment, compression } = this.run
    const converted = convertedName(path)
    try {
      await copyResults(engine, {
        from: linesSource(asideName(path), deployment.output.kind === 'number', keep),
        kept: keep.map((name) => ({ sql: `"${name.replaceAll('"', '""')}"`, name })),
        path: converted,
        name: path,
        to,
        compression: path === this.run.errors ? undefined : compression,
      })
      await writing(path, () => rename(converted, path))
      await discard(path)
    } finally {
      await rm(converted, { force: true }).catch(() => undefined)
    }
  }
}
