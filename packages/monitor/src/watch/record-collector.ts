/**
 * Takes what the monitoring counts from records while they lie in the slots of the engine: the one reader of all that is watched, in this
 * thread or on a worker. What it has taken can be cloned as it is, holds no record and no idx, and is counted by `FeedWatch`.
 */
import {
  type Conversions,
  type Definitions,
  type Plan,
  type Problem,
  type RecordWatch,
  type Slots,
  type WatchedResult,
  STATE,
  makePlan,
} from 'patient-risk-engine'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { ForeignCodes, type SeenCode } from '../feeds/foreign-codes.ts'
import { ProfileCounter } from '../drift/profile.ts'
import { type FeedPlan, planFeed } from '../feeds/feed-plan.ts'
import { type SeenRecords, SeenRecordsBuffer } from '../feeds/seen-records.ts'
import { watchedFields } from '../units/feed-units.ts'
import type { FeedValues } from '../units/unit-monitor.ts'

/** What was taken of one body. */
export interface Observed {
  readonly seen: SeenRecords
  /** The values of each field with several units, as they were received. */
  readonly units: FeedValues
  /** Where the records lie in the profile of the model. */
  readonly places: readonly number[]
  /** Each foreign code that was seen, once. */
  readonly codes: readonly SeenCode[]
}

export interface CollectorSource {
  readonly definitions: Definitions
  readonly model: ModelDefinition
  readonly conversions?: Conversions | undefined
}

/** A body of more fields than this is rare: its memory is given back. */
const MOST_REUSED = 65_536

interface UnitSlot {
  readonly slot: number
  /** What a value in the field's own unit is multiplied with to give the one that was received. */
  readonly factor: number
}

export class RecordCollector implements RecordWatch {
  readonly plan: FeedPlan
  private readonly unitSlots: readonly UnitSlot[]
  private readonly profile: ProfileCounter | undefined
  private readonly foreign: ForeignCodes
  private readonly slotByName: Plan['slotByName']
  private seen = new SeenRecordsBuffer()
  private spare: SeenRecordsBuffer | undefined
  private units: number[][] = []
  private places: number[] = []
  private codes = new Map<string, SeenCode>()
  /** Whether anything was seen since `begin`. */
  private hasSeen = true

  constructor({ definitions, model, conversions }: CollectorSource) {
    const plan = makePlan(definitions, model, conversions)
    const source = { plan, model, units: definitions.units ?? new Map<string, never>() }
    this.plan = planFeed(source)
    this.unitSlots = watchedFields(source).map(({ field }) => unitSlot(plan, field))
    this.profile = model.profile && new ProfileCounter(model.profile, plan)
    this.foreign = new ForeignCodes(plan)
    this.slotByName = plan.slotByName
    this.begin()
  }

  begin(): void {
    if (!this.hasSeen) return
    this.hasSeen = false
    this.seen.clear()
    this.units = this.unitSlots.map(() => [])
    this.places = []
    this.codes.clear()
  }

  see(slots: Slots, result: WatchedResult): void {
    this.hasSeen = true
    this.seen.add(slots, result.problems.some(isOfIdx))
    this.profile?.placeOf(slots, result, this.places)
    for (let at = 0; at < this.unitSlots.length; at++) {
      const { slot, factor } = this.unitSlots[at] as UnitSlot
      const state = slots.stateOf(slot)
      if (state !== STATE.valid && state !== STATE.outOfRange && state !== STATE.mismatch) continue
      ;(this.units[at] as number[]).push(received(slots.valueOf(slot), factor))
    }
  }

  seeRefused({ refused }: Slots): void {
    for (let at = 0; at < refused.length; at += 2) {
      const found = this.foreign.find(refused[at] as number, refused[at + 1] as string | number)
      if (found === undefined) continue
      this.hasSeen = true
      this.codes.set(found.join(' '), found)
    }
  }

  /** The foreign code that a text of a field is, where it is one. */
  foreignCode(field: string, given: string): SeenCode | undefined {
    return this.foreign.find(this.slotByName.get(field) ?? -1, given)
  }

  /** What was seen since `begin`. Undefined where there was nothing. */
  taken(): Observed | undefined {
    if (!this.hasSeen) return undefined
    const { seen, units, places } = this
    const observed = { seen, units, places, codes: [...this.codes.values()] }
    // What was taken may still wait for its turn while the next body is read.
    this.seen = this.spare ?? new SeenRecordsBuffer()
    this.spare = undefined
    this.begin()
    return observed
  }

  /** What was taken was counted: its memory serves for a later body. What a worker took is not this thread's. */
  reuse(seen: SeenRecords): void {
    if (!(seen instanceof SeenRecordsBuffer) || seen.places.length > MOST_REUSED) return
    seen.clear()
    this.spare = seen
  }
}

function isOfIdx({ field }: Problem): boolean {
  return field === 'idx'
}

function unitSlot({ fields, slotByName }: Plan, field: string): UnitSlot {
  const slot = slotByName.get(field) as number
  const { times, per } = fields[slot]?.conversion ?? { times: 1, per: 1 }
  return { slot, factor: per / times }
}

/** A converted number has lost its last digit; nobody sends more than twelve. */
function received(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(12))
}
