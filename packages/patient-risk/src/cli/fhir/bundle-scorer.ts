/** Scores Bundles of patients, as `$score` does with lines of Bundles, and gives the answers in their order. Many are scored in threads. */
import { Worker } from 'node:worker_threads'
import { type Deployment, type LanguageWords, digestText, packDeployments } from '@patient-risk/catalog'
import type { PatientBundle } from '@patient-risk/data/population'
import { ThreadPool, threadEnv } from '@patient-risk/runtime'
import { jobRunner, loadMapping, serviceWorker } from '@patient-risk/server/adapters'
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
  private readonly threads: number
  private readonly startPool: () => ThreadPool
  private readonly scoreHere: ReturnType<typeof jobRunner>
  /** Started for the second batch: the first one is done before a thread has loaded what it needs. */
  private pool: ThreadPool | undefined
  private isFirst = true
  private readonly job: {
    readonly kind: 'lines'
    readonly deployment: string
    readonly today: number
    readonly query: { readonly history: string; readonly asOf: string }
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
    const { timeZone } = config
    const { entry, data } = serviceWorker(mapping, timeZone)
    // A run may be in a language that the deployment does not offer.
    const speaking = words === undefined ? deployment : { ...deployment, languages: [words.language] }
    const deployments = packDeployments(catalog, [speaking])
    const start = (): Worker => new Worker(entry, { workerData: { ...data, deployments }, env: threadEnv() })
    this.threads = Math.max(1, threads)
    this.startPool = () => new ThreadPool({ size: this.threads, maxWaiting: Infinity, start })
    this.scoreHere = jobRunner({ deployments, mapping, timeZone })
    this.job = { kind: 'lines', deployment: deployment.name, today, query, language: words?.language }
  }

  async *answers(bundles: AsyncIterable<PatientBundle>): AsyncGenerator<ScoredPatient> {
    const running: Batch[] = []
    for await (const batch of this.batches(bundles)) {
      running.push(batch)
      if (running.length > AHEAD * this.threads) yield* this.answersOf(running.shift() as Batch)
    }
    for (const batch of running) yield* this.answersOf(batch)
  }

  async close(): Promise<void> {
    await this.pool?.close()
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
    const answer = this.score(body)
    // It is awaited in its turn, and a failure before that must not end the process.
    answer.catch(() => undefined)
    return { references: patients.map(({ reference }) => reference), answer }
  }

  private async score(body: Uint8Array<ArrayBuffer>): Promise<{ readonly bytes: Uint8Array }> {
    const job = { ...this.job, body }
    if (this.isFirst) {
      this.isFirst = false
      return this.scoreHere(job)
    }
    this.pool ??= this.startPool()
    return this.pool.run(job, [body.buffer])
  }

  private async *answersOf({ references, answer }: Batch): AsyncGenerator<ScoredPatient> {
    const { bytes } = await answer
    const lines = Buffer.from(bytes).toString().trimEnd().split('\n')
    for (const [at, reference] of references.entries())
      yield { reference, answer: parseJson(lines[at] ?? '') as Json }
  }
}
