/**
 * A job, and workers that are killed, stopped, held up for longer than their lease, and have other clocks, as a seed decides. Whatever
 * happens, the job ends once, by the last worker that took it, with the answers of a plain scoring call.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { type Clock, newDataKey, sealDataKey, systemClock } from '@patient-risk/runtime'
import { testCatalog } from '../../../../../../test/support/serve.ts'
import { createLog } from '../../../../src/log/log.ts'
import { Metrics } from '../../../../src/metrics/metrics.ts'
import { JobFolder, pieceName } from '../../../../src/http/jobs/job-folder.ts'
import { type DoneAnswer, openAnswer } from '../../../../src/http/jobs/job-facts.ts'
import type { ServiceParts } from '../../../../src/http/service.ts'
import { groupEntries, makeEntry } from '../../../../src/store/audit/audit-row.ts'
import { makeKey } from '../../../../src/store/keys/keys.ts'
import { type OpenStore, openStore } from '../../../../src/store/open.ts'
import { randomFrom } from '../../../torture/part.ts'
import { type Defect, type Instance, LEASE_MS, type LeaseStep, type Watch, startWorker } from './worker.ts'

const WORKERS = 3
const PIECES = 5
const MOST_TICKS = 4_000
/** Calls that workers make after the job has ended: one that was held up must change nothing. */
const TICKS_AFTER = 60
const DEAD_HAND_MS = 20_000
const LEASE_TICKS = 1_000
/** Kills, and leases that end. A job that is taken more than ten times without coming further fails, as it should. */
const MOST_TROUBLES = 8
const KILL_SHARE = 0.02
const LATE_SHARE = 0.03
const TODAY = 20_260_601

export interface World {
  readonly parts: ServiceParts
  readonly deployment: Deployment
  readonly keyId: string
  readonly folder: string
  close(): Promise<void>
}

export async function makeWorld(databaseUrl?: string): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), 'patient-risk-job-seeds-'))
  const opened: OpenStore = await openStore(
    join(root, 'data'),
    'a secret of the simulation of jobs',
    databaseUrl,
  )
  const { store, secrets } = opened
  const catalog = testCatalog()
  const limits = { requestsPerMinute: null, recordsPerMinute: null }
  const { deployments } = makeDeployments(
    catalog,
    DEFAULT_FILE.deployments.map((each) => ({ ...each, limits })),
  )
  const made = await makeKey(store, secrets, { name: 'jobs', scopes: ['*'], expiresAt: null }, Date.now())
  const folder = join(root, 'jobs')
  await new JobFolder(folder).open()
  return {
    parts: {
      catalog,
      deployments,
      store,
      secrets,
      clock: systemClock(undefined),
      log: createLog('fatal'),
      metrics: new Metrics(catalog.domains.keys()),
    },
    deployment: deployments[0] as Deployment,
    keyId: made.id,
    folder,
    async close() {
      await store.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** What a seed has found. */
export interface Found {
  readonly faults: readonly string[]
  readonly kills: number
  readonly takeovers: number
}

export async function simulateJob(world: World, seed: number, defect?: Defect): Promise<Found> {
  const random = randomFrom(seed)
  const run = new Simulation(world, random, defect)
  try {
    await run.submit()
    return await run.toTheEnd()
  } finally {
    await run.close()
  }
}

class Simulation implements Watch {
  private readonly world: World
  private readonly random: () => number
  private readonly defect: Defect | undefined
  private readonly id = randomBytes(16).toString('hex')
  private readonly key = newDataKey()
  private readonly workers: Instance[] = []
  private readonly faults: string[] = []
  private now = Date.now()
  private expected = ''
  private fence = 0
  private leaseUntil = 0
  private done = 0
  private ends = 0
  private kills = 0
  private troubles = 0

  constructor(world: World, random: () => number, defect: Defect | undefined) {
    this.world = world
    this.random = random
    this.defect = defect
  }

  /** Writes the body of a job: some records are faulty, and some identifiers are there twice, far apart. */
  async submit(): Promise<void> {
    const { parts, deployment, keyId, folder } = this.world
    const files = new JobFolder(folder)
    await files.make(this.id)
    const all: object[] = []
    for (let piece = 0; piece < PIECES; piece++) {
      const records = Array.from({ length: 1 + this.below(4) }, (_each, place) => ({
        idx: this.below(5) === 0 ? 7 : 100 * (piece + 1) + place,
        age: this.below(6) === 0 ? 300 : 60 + this.below(40),
        sex: 'F',
        inpatientAdmissions: this.below(4),
        emergencyAdmissions: this.below(4),
        stayDays: this.below(20),
      }))
      all.push(...records)
      const lines = Buffer.from(records.map((each) => `${JSON.stringify(each)}\n`).join(''))
      await files.write(this.id, pieceName('in', piece), this.key, lines)
    }
    const { bytes } = deployment.scorer.score(Buffer.from(JSON.stringify(all)), TODAY)
    this.expected = Buffer.from(bytes).toString()
    const facts = {
      ...{ from: 'ndjson', to: 'ndjson', today: TODAY, model: 'model', codes: null },
      ...{ requestId: 'request', pieces: PIECES },
    }
    await parts.store.insertJob({
      id: this.id,
      deployment: deployment.name,
      digest: deployment.digest,
      owner: keyId,
      keyId,
      requests: [],
      body: 'body',
      createdAt: this.now,
      expiresAt: this.now + 365 * 24 * 3_600_000,
      sealedKey: sealDataKey(parts.secrets.inUse, this.key, this.id),
      bytes: 1,
      records: all.length,
      facts: JSON.stringify(facts),
      room: { jobs: 1e6, bytes: 1e12, totalBytes: 1e12 },
      row: groupEntries([makeEntry({ at: 1, requestId: this.id, keyId, call: 'job submit' })]),
    })
  }

  async toTheEnd(): Promise<Found> {
    for (let each = 0; each < WORKERS; each++) this.workers.push(this.start())
    let after = 0
    for (let tick = 0; tick < MOST_TICKS && after < TICKS_AFTER && this.faults.length === 0; tick++) {
      await this.quiet()
      await this.tick()
      // The lease of a worker that is dead ends, also where there is no more trouble.
      if (tick % LEASE_TICKS === LEASE_TICKS - 1) this.now += LEASE_MS + 20_000
      if (this.ends > 0) after++
    }
    await this.quiet()
    if (this.faults.length === 0) await this.check()
    return { faults: this.faults, kills: this.kills, takeovers: this.fence - 1 }
  }

  async close(): Promise<void> {
    for (const { gate, worker } of this.workers) {
      gate.kill()
      void worker.stop()
    }
    await nextTurn()
    await this.world.parts.store.removeJob(this.id)
    await new JobFolder(this.world.folder).remove(this.id)
  }

  onClaim({ fence, leaseUntil }: LeaseStep, now: number): void {
    if (now < this.leaseUntil)
      this.faults.push(`a job was taken ${this.leaseUntil - now} ms before its lease was over`)
    this.fence = fence
    this.leaseUntil = leaseUntil
  }

  onStep({ fence, leaseUntil }: LeaseStep, done: number | undefined): void {
    if (fence !== this.fence)
      this.faults.push(`worker ${fence} has noted progress of a job that worker ${this.fence} has`)
    if (done !== undefined && done < this.done)
      this.faults.push(`the job went back from ${this.done} to ${done}`)
    this.done = Math.max(this.done, done ?? 0)
    this.leaseUntil = leaseUntil
  }

  onRelease(): void {
    this.leaseUntil = 0
  }

  onEnd({ fence }: { readonly fence: number }): void {
    this.ends++
    if (fence !== this.fence)
      this.faults.push(`worker ${fence} has published a job that worker ${this.fence} has`)
    if (this.ends > 1) this.faults.push('the job has ended twice')
  }

  /** The results are those of a plain scoring call, no record twice and none missing. */
  private async check(): Promise<void> {
    const { store } = this.world.parts
    const job = await store.findJob(this.id)
    if (job?.state !== 'done') {
      this.faults.push(`the job is ${job?.state ?? 'gone'} in the end`)
      return
    }
    const answer = openAnswer(job, this.key) as DoneAnswer
    const files = new JobFolder(this.world.folder)
    const pieces: Buffer[] = []
    for (const name of answer.output.flatMap((file) => file.pieces))
      pieces.push(await files.read(this.id, name, this.key))
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\n')
    if (`[${lines.join(',')}]` !== this.expected)
      this.faults.push('the results are not those of the scoring call')
    const expected = JSON.parse(this.expected) as readonly { readonly risk: unknown }[]
    const scored = expected.filter(({ risk }) => risk !== null).length
    if (answer.records !== expected.length || answer.scored !== scored)
      this.faults.push(
        `counted ${answer.records} records and ${answer.scored} scored, of ${expected.length} and ${scored}`,
      )
  }

  private start(): Instance {
    const { parts, folder } = this.world
    const skewMs = this.below(10_000) - 5_000
    const clock: Clock = { ...parts.clock, now: () => this.now + skewMs }
    return startWorker({ parts, folder, clock, watch: this, defect: this.defect })
  }

  /** Waits until every worker waits for the simulation. */
  private async quiet(): Promise<void> {
    const latest = performance.now() + DEAD_HAND_MS
    while (this.workers.some(({ gate }) => gate.pending === undefined)) {
      if (performance.now() > latest) throw new Error('a worker neither waits nor goes on')
      await sleep(0)
    }
  }

  private async tick(): Promise<void> {
    const place = this.below(WORKERS)
    const instance = this.workers[place] as Instance
    const chance = this.random()
    if (chance < LATE_SHARE && this.troubles++ >= MOST_TROUBLES) instance.gate.open()
    else if (chance < KILL_SHARE) {
      this.kills++
      instance.gate.kill()
      void instance.worker.stop()
      this.workers[place] = this.start()
    } else if (chance < LATE_SHARE) this.now += LEASE_MS + 20_000
    else if (chance < 0.3) this.now += this.below(1_000)
    else instance.gate.open()
    await nextTurn()
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit)
  }
}
