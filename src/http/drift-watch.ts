/**
 * Compares what comes in with the development profile that a deployment's model carries. A sample of each scored
 * body is looked at (its first records, a few thousand bytes), and only counts are kept.
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import { type AssessOptions, Assessor } from '../engine/assess.ts'
import { type Drift, driftOf } from '../engine/drift.ts'
import { compileModel } from '../engine/model.ts'
import { makePlan } from '../engine/plan.ts'
import { ProfileCounter } from '../engine/profile.ts'

/** So little that the sample costs a large body next to nothing. */
const SAMPLE_BYTES = 4_096

interface Watched {
  readonly assessor: Assessor
  readonly counter: ProfileCounter
}

export class DriftWatch {
  private readonly watched = new Map<string, Watched>()

  constructor(catalog: Catalog, deployments: readonly Deployment[]) {
    for (const { name, model } of deployments) {
      const { profile } = model.definition
      if (profile === undefined) continue
      const plan = makePlan(catalog.knowledge, model.definition)
      this.watched.set(name, {
        assessor: new Assessor(plan, compileModel(model.definition, plan)),
        counter: new ProfileCounter(profile, plan),
      })
    }
  }

  /** The part of a body that will be counted, taken before the body is given away; undefined where nothing is watched. */
  sampleOf(deployment: string, body: Uint8Array): string | undefined {
    if (!this.watched.has(deployment)) return undefined
    return Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, SAMPLE_BYTES)).toString('utf8')
  }

  /** Counts the whole records of a sample of a body that was answered. */
  count(deployment: string, sample: string, today: number): void {
    const watched = this.watched.get(deployment)
    if (watched === undefined) return
    const options: AssessOptions = { today, reportUnknown: false, maxKeys: Infinity }
    for (const record of recordsIn(sample)) {
      watched.counter.add(watched.assessor.slots, watched.assessor.assess(record, 0, options))
    }
  }

  /** How far each watched deployment has moved since the start. */
  drifts(): readonly (readonly [string, Drift])[] {
    return [...this.watched].map(([name, { counter }]) => [name, driftOf(counter)])
  }
}

/** A sample is a whole body, or its beginning: then the last record is cut off and left out. */
function recordsIn(sample: string): readonly unknown[] {
  const end = sample.lastIndexOf('},')
  for (const text of [sample, `${sample.slice(0, end + 1)}]`]) {
    try {
      const records: unknown = JSON.parse(text)
      return Array.isArray(records) ? records : []
    } catch {
      // Not whole: the next text ends with the last record that is. An error here quotes the sample, so it goes no further.
    }
  }
  return []
}
