/** What a run over files is asked to do and what it reports, whatever the format of its inputs. */
import { hash } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import { isAddress } from '../tables/list-inputs.ts'
import { identityOf, isReadOnce } from '../tables/open-input.ts'
import type { TableFormat } from '../tables/open-table.ts'
import type { Compression, ErrorsFormat, Format, WrittenFormat } from './format.ts'
import type { Summary } from './summary.ts'
import type { TableReading } from './tables/table-reading.ts'

export interface ScoreRun {
  readonly catalog: Catalog
  readonly deployment: Deployment
  readonly today: number
  /** Tables, or one file of JSON or NDJSON. A path is `-` for the standard input. */
  readonly inputs: readonly RunInput[]
  /** A path; undefined for the standard output. */
  readonly output: string | undefined
  readonly to: WrittenFormat
  readonly compression: Compression | undefined
  readonly errors: string | undefined
  readonly errorsTo: ErrorsFormat | undefined
  /** JSON has names, kept keys and numbering only. */
  readonly reading: TableReading
  readonly threads: number
  readonly isResumed: boolean
  readonly onProgress: (progress: Progress) => void
  /** Smaller chunks of JSON and more frequent checkpoints, for tests. */
  readonly chunkBytes?: number
  readonly checkpointMs?: number
}

export interface RunInput {
  readonly path: string
  readonly format: Format
}

export interface TableInput extends RunInput {
  readonly format: TableFormat
}

export interface Progress {
  /** Records that are done; undefined where they are not counted on the way. */
  readonly records: number | undefined
  /** The share of the input that is done, from 0 to 1; undefined where its size is not known. */
  readonly share: number | undefined
}

export interface Outcome {
  readonly summary: Summary
  /** What there is to say about the inputs, each with its file and line. */
  readonly notes: readonly string[]
  /** Columns that hold no field and were ignored. */
  readonly unknown: readonly string[]
}

/** Everything that decides what is written: a run is resumed only where all of it is the same. */
export async function identityOfRun(run: ScoreRun): Promise<string> {
  const { deployment, reading, inputs, to, compression, errors, errorsTo, chunkBytes } = run
  const files = await Promise.all(
    inputs.map(async ({ path, format }) => [
      path,
      format,
      isAddress(path) || isReadOnce(path) ? null : await identityOf(path),
    ]),
  )
  const settings = [deployment.name, deployment.model.digest, deployment.scorerOptions]
  const shape = [{ ...reading, map: [...reading.map] }, to, compression, errors, errorsTo, chunkBytes]
  return hash('sha256', JSON.stringify([files, settings, shape]), 'hex')
}
