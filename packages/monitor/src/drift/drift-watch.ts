/**
 * Compares incoming records with the development profile of a deployment's model. It samples records of scored bodies at
 * random, and keeps only counts.
 */
import { type AssessOptions, Assessor, compileModel, makePlan } from 'patient-risk-engine'
import { parseJson } from 'patient-risk-engine/read'
import { type Drift, FEWEST_RECORDS, ProfileCounter, driftOf } from './profile.ts'
import type { Alarm } from '../alarms/alarm.ts'
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { MonitoredCatalog, MonitoredDeployment } from '../deployment.ts'
import type { Host } from '../host.ts'
import { recordAround } from './record-around.ts'

/** Mean distance between two draws. */
const SPACING_BYTES = 320
/**
 * A record of this size is taken whenever a draw falls on it, one of twice the size every other time. So each record has
 * a chance of 64 in 320, one in five. Shorter records hold almost nothing.
 */
const SHORT_BYTES = 64
/** Few enough that they add almost nothing to the cost of a large body. */
const MOST_DRAWS = 8
/** No body is sampled within this time of the last one: at thousands of bodies a second this is enough. */
const REST_MS = 5

interface Watched {
  readonly assessor: Assessor
  readonly counter: ProfileCounter
  /** The model whose profile it is. */
  readonly model: string
  /** Fields whose alarm was raised here and is not acknowledged. */
  readonly told: Set<string>
  /** When a body was last sampled. */
  sampledAt: number
}

type DriftHost = Pick<Host, 'steadyNow' | 'random' | 'latin1'>

export class DriftWatch {
  private readonly watched = new Map<string, Watched>()
  private readonly board: AlarmBoard
  private readonly host: DriftHost

  constructor(
    catalog: Pick<MonitoredCatalog, 'definitions'>,
    deployments: readonly Pick<MonitoredDeployment, 'name' | 'model' | 'scorerOptions'>[],
    board: AlarmBoard,
    host: DriftHost,
  ) {
    this.board = board
    board.onRead(() => this.restart())
    this.host = host
    for (const { name, model, scorerOptions } of deployments) {
      const { profile, id, version } = model.definition
      if (profile === undefined) continue
      const { conversions, codes } = scorerOptions
      const plan = makePlan(catalog.definitions, model.definition, conversions, codes)
      const counter = new ProfileCounter(profile, plan)
      this.watched.set(name, {
        assessor: new Assessor(plan, compileModel(model.definition, plan)),
        counter,
        model: `${id}@${version}`,
        told: new Set(),
        sampledAt: -Infinity,
      })
      for (const field of counter.names)
        board.watch({ kind: 'drift', deployment: name, field }, `${id}@${version}`)
    }
  }

  /** Records of a body to count later. Taken before the body moves to a worker; undefined when none was drawn. */
  sampleOf(deployment: string, body: Uint8Array): readonly string[] | undefined {
    const watched = this.watched.get(deployment)
    if (watched === undefined) return undefined
    const { host } = this
    const now = host.steadyNow()
    if (now - watched.sampledAt < REST_MS) return undefined
    watched.sampledAt = now
    const found: string[] = []
    const drawAt = (place: number): void => {
      const record = recordAround(body, Math.floor(place), SHORT_BYTES / (1 - host.random()), host)
      if (record !== undefined) found.push(record)
    }
    const { length } = body
    // On average one draw for each spacing: a short body is drawn from now and then.
    const draws = Math.min(MOST_DRAWS, Math.floor(length / SPACING_BYTES + host.random()))
    // One place in each part of the body, so that they are spread over all of it.
    for (let draw = 0; draw < draws; draw++) drawAt(((draw + host.random()) / draws) * length)
    return found.length === 0 ? undefined : found
  }

  /** Counts the records that were drawn, once their body is answered. */
  count(deployment: string, sample: readonly string[], today: number): void {
    const watched = this.watched.get(deployment)
    if (watched === undefined) return
    const options: AssessOptions = { today, reportUnknown: false, maxKeys: Infinity }
    for (const text of sample) {
      let record: unknown
      try {
        record = parseJson(text)
      } catch {
        // It began inside a string.
        continue
      }
      const result = watched.assessor.assess(record, 0, options)
      watched.counter.add(watched.assessor.slots, result)
    }
    for (const field of watched.counter.moved) {
      if (watched.told.has(field)) continue
      watched.told.add(field)
      const subject = { kind: 'drift', deployment, keyId: '', field } as const
      void this.board.raise({ ...subject, basis: watched.model, likely: '', reference: 'profile' })
    }
  }

  /** After somebody has acknowledged an alarm, its test begins again. */
  private restart(): void {
    for (const [deployment, { told, counter }] of this.watched) {
      for (const field of told) {
        const alarm = this.board.find({ kind: 'drift', deployment, keyId: '', field })
        if (alarm?.state === 'raised') continue
        told.delete(field)
        counter.restart(field)
      }
    }
  }

  /** The counts of the profiles by deployment. */
  counts(): Readonly<Record<string, readonly number[]>> {
    return Object.fromEntries([...this.watched].map(([name, { counter }]) => [name, [...counter.counts]]))
  }

  /** How far each deployment has moved since the start, by its own counts or by those given. Too few records give no index. */
  drifts(counts = this.counts()): readonly (readonly [string, Drift])[] {
    return [...this.watched].map(([name, { counter }]) => {
      const { inputs, risk, profile } = counter
      const drift = driftOf({ inputs, risk, profile, counts: counts[name] ?? counter.counts })
      return [name, drift.records < FEWEST_RECORDS ? withoutIndex(drift) : drift] as const
    })
  }

  /** Alarms of units and of drift that nobody has confirmed or acknowledged. */
  alarms(): Promise<readonly Alarm[]> {
    return this.board.raised()
  }
}

function withoutIndex(drift: Drift): Drift {
  const inputs = drift.inputs.map((input) => ({ ...input, index: Number.NaN }))
  return { ...drift, inputs, risk: Number.NaN }
}
