/** Watches the units of every feed, which is what one key sends to one deployment. Only counts and a median of each are kept. */
import { makePlan } from 'patient-risk-engine'
import { FeedField, type WatchedField, watchedFields } from './feed-units.ts'
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { MonitoredCatalog, MonitoredDeployment } from '../deployment.ts'

/** A feed takes some 6 kB while it is learned, and less than 1 kB afterwards. Beyond so many the oldest is learned again. */
const MOST_FEEDS = 5_000

/** The values of each watched field of a body, in its order and in the unit in which they were received. */
export type FeedValues = readonly (readonly number[])[]

/** A field whose values are probably in another unit. */
interface UnitDoubt {
  readonly field: string
  readonly doubt: 'unit'
  readonly received: string
  readonly likely: string
}

const NONE: readonly UnitDoubt[] = []

interface Feed {
  readonly test: FeedField
  /** When the unit was last confirmed or an alarm acknowledged: the test began then. */
  readonly since: number
}

/** The units of one deployment's feeds. */
export class UnitMonitor {
  private readonly deployment: string
  private readonly fields: readonly WatchedField[]
  private readonly alarms: AlarmBoard
  private readonly feeds = new Map<string, Feed[]>()

  constructor(deployment: string, fields: readonly WatchedField[], alarms: AlarmBoard) {
    this.deployment = deployment
    this.fields = fields
    this.alarms = alarms
    for (const { field, received } of fields) alarms.watch({ kind: 'unit', deployment, field }, received)
  }

  /** Counts the values of a body that was answered. */
  count(keyId: string, values: FeedValues): void {
    const feeds = this.feeds.get(keyId) ?? []
    this.fields.forEach((about, index) => {
      const given = values[index] ?? []
      if (given.length === 0) return
      const { deployment } = this
      const { field, received } = about
      const subject = { kind: 'unit', deployment, keyId, field } as const
      const { state, at = 0 } = this.alarms.find(subject) ?? {}
      if (state === 'raised') return
      let feed = feeds[index]
      if (feed?.since !== at) feed = { test: new FeedField(about, state === 'confirmed'), since: at }
      feeds[index] = feed
      for (const value of given) {
        const alarm = feed.test.add(value)
        if (alarm !== undefined) {
          void this.alarms.raise({ ...subject, basis: received, ...alarm })
          return
        }
      }
    })
    if (this.feeds.size >= MOST_FEEDS && !this.feeds.has(keyId))
      this.feeds.delete(this.feeds.keys().next().value ?? '')
    this.feeds.set(keyId, feeds)
  }

  /** The fields of a feed whose values are probably in another unit. */
  doubts(keyId: string): readonly UnitDoubt[] {
    const raised = this.alarms.raisedAbout({ kind: 'unit', deployment: this.deployment, keyId })
    if (raised.length === 0) return NONE
    return this.fields.flatMap(({ field, received }): UnitDoubt[] => {
      const alarm = raised.find((each) => each.field === field)
      return alarm === undefined ? [] : [{ field, doubt: 'unit', received, likely: alarm.likely }]
    })
  }

  /** The same as a response header says it. */
  doubt(keyId: string): string | undefined {
    const doubts = this.doubts(keyId).map(({ field, received, likely }) => {
      return `${field};received=${quoted(received)};likely=${quoted(likely)}`
    })
    return doubts.length === 0 ? undefined : doubts.join(', ')
  }
}

/** By the name of the deployment; none for a deployment whose model reads no field with several units. */
export function watchUnits(
  { definitions, units }: MonitoredCatalog,
  deployments: readonly Pick<MonitoredDeployment, 'name' | 'model' | 'scorerOptions'>[],
  alarms: AlarmBoard,
): ReadonlyMap<string, UnitMonitor> {
  const watches = deployments.flatMap(({ name, model: { definition: model }, scorerOptions }) => {
    const plan = makePlan(definitions, model, scorerOptions.conversions)
    const fields = watchedFields({ plan, units, model })
    return fields.length === 0 ? [] : [[name, new UnitMonitor(name, fields, alarms)] as const]
  })
  return new Map(watches)
}

/** A header holds ASCII alone; `u` stands for micro in UCUM. */
function quoted(unit: string): string {
  return `"${unit.replaceAll('µ', 'u')}"`
}
