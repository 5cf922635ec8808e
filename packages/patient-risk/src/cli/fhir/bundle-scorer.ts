/** Scores Bundles of patients in threads, as `$score` does with lines of Bundles, and gives the answers in their order. */
import { Worker } from 'node:worker_threads'
import { type Deployment, type LanguageWords, digestText, packDeployments } from '@patient-risk/catalog'
import type { PatientBundle } from '@patient-risk/data/population'
import { ThreadPool, threadEnv } from '@patient-risk/runtime'
import { loadMapping, serviceWorker } from '@patient-risk/server/adapters'
import { type Json, parseJson } from 'patient-risk-engine/read'
import { mappingFolders, type Loaded } from '../catalog/load-catalog.ts'
import { Refusal, faultsText } from '../command.ts'

/** A batch is as much work as is worth a message to a thread. */
const BATCH_BYTES = 1024 * 1024
const BATCH_PATIENTS = 50
/** Batches that are under way for each thread. */
const AHEAD = 2

export interface ScoredPatient {
  readonly reference: string
  /** A Bundle with the results, or an OperationOutcome where the whole was refused. */
  readonly answer: Json
}

interface Batch {
  readonly references: readonly string[]
  readonly answer: Promise<{ readonly bytes: Uint8Array }>
}

export class BundleScorer {
  /** Of the files that say how fields are found in resources. */
  readonly mappingDigest: string
  private readonly pool: ThreadPool
  private readonly job: {
    readonly kind: 'lines'
    readonly deployment: string
    readonly today: number
    readonly query: object
    readonly language: string | undefined
  }

  constructor(
    { catalog, config }: Loaded,
    deployment: Deployment,
    query: { readonly history: string; readonly asOf: string },
    today: number,
    threads: number,
    words?: LanguageWords,
  ) {
    const { mapping, faults } = loadMapping(mappingFolders(config), catalog, config.fhir.mapping)
    if (mapping === undefined) throw new Refusal(faultsText(faults))
    this.mappingDigest = digestText(mapping)
    // A run may be in a language that the deployment does not offer.
    const speaking = words === undefined ? deployment : { ...deployment, languages: [words.language] }
    const { entry, data } = serviceWorker(mapping, config.timeZone)
    const workerData = { ...data, deployments: packDeployments(catalog, [speaking]) }
    const start = (): Worker => new Worker(entry, { workerData, env: threadEnv() })
    this.pool = new ThreadPool({ size: Math.max(1, threads), maxWaiting: Infinity, start })
    this.job = { kind: 'lines', deployment: deployment.name, today, query, language: words?.language }
  }

  async *answers(bundles: AsyncIterable<PatientBundle>): AsyncGenerator<ScoredPatient> {
    const running: Batch[] = []
    for await (const batch of this.batches(bundles)) {
      running.push(batch)
      if (running.length > AHEAD * this.pool.size) yield* this.answersOf(running.shift() as Batch)
    }
    for (const batch of running) yield* this.answersOf(batch)
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  private async *batches(bundles: AsyncIterable<PatientBundle>): AsyncGenerator<Batch> {
    let held: PatientBundle[] = []
    let bytes = 0
    for await (const bundle of bundles) {
      held.push(bundle)
      bytes += bundle.line.length
      if (bytes < BATCH_BYTES && held.length < BATCH_PATIENTS) continue
      yield this.begin(held)
      held = []
      bytes = 0
    }
    if (held.length > 0) yield this.begin(held)
  }

  private begin(patients: readonly PatientBundle[]): Batch {
    const body = new TextEncoder().encode(patients.map(({ line }) => `${line}\n`).join(''))
    const answer = this.pool.run<{ readonly bytes: Uint8Array }>({ ...this.job, body }, [body.buffer])
    // It is awaited in its turn, and a failure before that must not end the process.
    answer.catch(() => undefined)
    return { references: patients.map(({ reference }) => reference), answer }
  }

  private async *answersOf({ references, answer }: Batch): AsyncGenerator<ScoredPatient> {
    const { bytes } = await answer
    const lines = Buffer.from(bytes).toString().trimEnd().split('\n')
    for (const [at, reference] of references.entries())
      yield { reference, answer: parseJson(lines[at] ?? '') as Json }
  }
}
