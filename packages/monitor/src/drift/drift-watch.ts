/**
 * Compares incoming records with the development profile of a deployment's model, whichever entrance they came through. Only counts are
 * kept.
 */
import { makePlan } from 'patient-risk-engine'
import { type Drift, FEWEST_RECORDS, ProfileCounter, driftOf } from './profile.ts'
import type { Alarm } from '../alarms/alarm.ts'
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { MonitoredCatalog, MonitoredDeployment } from '../deployment.ts'

interface Watched {
  readonly counter: ProfileCounter
  /** The model whose profile it is. */
  readonly model: string
  /** Fields whose alarm was raised here and is not acknowledged. */
  readonly told: Set<string>
}

export class DriftWatch {
  private readonly watched = new Map<string, Watched>()
  private readonly board: AlarmBoard

  constructor(
    catalog: Pick<MonitoredCatalog, 'definitions'>,
    deployments: readonly Pick<MonitoredDeployment, 'name' | 'model' | 'scorerOptions'>[],
    board: AlarmBoard,
  ) {
    this.board = board
    board.onRead(() => this.restart())
    for (const { name, model, scorerOptions } of deployments) {
      const { profile, id, version } = model.definition
      if (profile === undefined) continue
      const plan = makePlan(catalog.definitions, model.definition, scorerOptions.conversions)
      const counter = new ProfileCounter(profile, plan)
      this.watched.set(name, { counter, model: `${id}@${version}`, told: new Set() })
      for (const field of counter.names)
        board.watch({ kind: 'drift', deployment: name, field }, `${id}@${version}`)
    }
  }

  /** Counts records of a body that was answered, by their places in the profile. */
  count(deployment: string, places: readonly number[]): void {
    const watched = this.watched.get(deployment)
    if (watched === undefined) return
    watched.counter.addPlaces(places)
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
