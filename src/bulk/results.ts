/** What a look at the input writes: the results, and once more those with problems where they are asked for. */
import { gzipSync } from 'node:zlib'
import { writing } from './cannot-write.ts'
import { type Checkpoint, removeCheckpoint } from './checkpoint.ts'
import type { RunOptions } from './options.ts'
import { publishTable } from './parquet-output.ts'
import { headerOf } from './print-results.ts'
import { type Sink, discard, openAside, publish, standardOutput } from './sink.ts'
import type { ChunkResult } from './task.ts'

export class Results {
  private readonly options: RunOptions
  private output: Sink | undefined
  private errors: Sink | undefined

  constructor(options: RunOptions) {
    this.options = options
  }

  /** Begins anew, or where an earlier run was interrupted. */
  async open(from: Checkpoint | undefined): Promise<void> {
    const { output, errors, errorsTo, to, gzip, keep } = this.options
    // What an earlier run has left no longer fits what is written from here on.
    if (output !== undefined && from === undefined) await removeCheckpoint(output)
    this.output = output === undefined ? standardOutput() : await openAside(output, from?.outputBytes ?? 0)
    this.errors = errors === undefined ? undefined : await openAside(errors, from?.errorsBytes ?? 0)
    if (from !== undefined) return
    const header = Buffer.from(headerOf(to, keep))
    if (header.length > 0) await this.output.write(gzip ? gzipSync(header) : header)
    if (errorsTo !== undefined) await this.errors?.write(Buffer.from(headerOf(errorsTo, keep)))
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

  /** Behind the last of `records` results. */
  async end(records: number): Promise<void> {
    const { to, gzip } = this.options
    if (to === 'json') {
      const end = Buffer.from(records === 0 ? '[]\n' : '\n]\n')
      await this.output?.write(gzip ? gzipSync(end) : end)
    }
    // Nothing at all is no gzip file: it must at least say that it is one.
    if (gzip && to !== 'parquet' && this.output?.size === 0) await this.output.write(gzipSync(''))
    await this.sync()
    await this.close()
  }

  /** They appear under their own names. */
  async publish(): Promise<void> {
    const { output, errors, to, gzip, keep, deployment } = this.options
    if (output !== undefined) {
      const riskIsNumber = deployment.output.kind === 'number'
      if (to === 'parquet') await writing(output, () => publishTable(output, gzip, riskIsNumber, keep))
      else await publish(output)
    }
    if (errors !== undefined) await publish(errors)
    if (output !== undefined) await removeCheckpoint(output)
  }

  async close(): Promise<void> {
    await this.output?.close()
    await this.errors?.close()
    this.output = undefined
    this.errors = undefined
  }

  /** Leaves nothing behind. What cannot be removed must not hide why it should be. */
  async discard(): Promise<void> {
    const { output, errors } = this.options
    const written = [output, errors].filter((path) => path !== undefined)
    await Promise.allSettled(written.map(discard))
    if (output !== undefined) await removeCheckpoint(output).catch(() => undefined)
  }
}
