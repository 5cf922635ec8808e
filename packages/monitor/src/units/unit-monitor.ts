/**
 * Watches the units of every feed, which is what one key sends to one deployment. It looks at the bytes of scored bodies, at every record,
 * because a change of the unit must show within 200 of them. Only counts and a median of each feed and field are kept.
 */
import { makePlan } from 'patient-risk-engine'
import { FeedField, type WatchedField, watchedFields } from './feed-units.ts'
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { MonitoredCatalog, MonitoredDeployment } from '../deployment.ts'
import type { Host } from '../host.ts'

/** A larger body is looked at in parts at equal distances: it must not hold up this thread. */
const WHOLE_BYTES = 262_144
const PARTS = 8
/** A feed takes some 6 kB while it is learned, and less than 1 kB afterwards. Beyond so many the oldest is learned again. */
const MOST_FEEDS = 5_000

/** The values of each watched field of a body, in its order. */
export type FeedValues = readonly (readonly number[])[]

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
  private readonly host: Pick<Host, 'latin1'>
  private readonly patterns: readonly RegExp[]
  private readonly feeds = new Map<string, Feed[]>()

  constructor(
    deployment: string,
    fields: readonly WatchedField[],
    alarms: AlarmBoard,
    host: Pick<Host, 'latin1'>,
  ) {
    this.deployment = deployment
    this.fields = fields
    this.patterns = fields.map(({ field }) => patternOf(field))
    this.alarms = alarms
    this.host = host
    for (const { field, received } of fields) alarms.watch({ kind: 'unit', deployment, field }, received)
  }

  /** Taken before the body moves to a worker. */
  read(body: Uint8Array): FeedValues {
    const { length } = body
    const places = length <= WHOLE_BYTES ? [0] : Array.from({ length: PARTS }, (_, part) => part / PARTS)
    const size = Math.ceil(WHOLE_BYTES / places.length)
    const texts = places.map((place) => {
      const start = Math.floor(place * length)
      return this.host.latin1(body.subarray(start, start + size))
    })
    return this.patterns.map((pattern) => texts.flatMap((text) => numbersIn(text, pattern)))
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

  /** The fields of a feed whose values are probably in another unit, as a response header says it. */
  doubt(keyId: string): string | undefined {
    const doubts = this.fields.flatMap(({ field, received }) => {
      const alarm = this.alarms.find({ kind: 'unit', deployment: this.deployment, keyId, field })
      if (alarm?.state !== 'raised') return []
      return [`${field};received=${quoted(received)};likely=${quoted(alarm.likely)}`]
    })
    return doubts.length === 0 ? undefined : doubts.join(', ')
  }
}

/** By the name of the deployment; none for a deployment whose model reads no field with several units. */
export function watchUnits(
  { definitions, units }: MonitoredCatalog,
  deployments: readonly Pick<MonitoredDeployment, 'name' | 'model' | 'scorerOptions'>[],
  alarms: AlarmBoard,
  host: Pick<Host, 'latin1'>,
): ReadonlyMap<string, UnitMonitor> {
  const watches = deployments.flatMap(({ name, model: { definition: model }, scorerOptions }) => {
    const plan = makePlan(definitions, model, scorerOptions.conversions)
    const fields = watchedFields({ plan, units, model })
    return fields.length === 0 ? [] : [[name, new UnitMonitor(name, fields, alarms, host)] as const]
  })
  return new Map(watches)
}

/** A header holds ASCII alone; `u` stands for micro in UCUM. */
function quoted(unit: string): string {
  return `"${unit.replaceAll('µ', 'u')}"`
}

/**
 * Finds the numbers that follow a name in JSON. A quote inside a string is escaped, so the name in quotes and a colon after it is a key.
 * Names written with escapes are missed, and a field of a nested object is found too: rare, and a few values do not matter. A number at
 * the end of a part may be cut off, so something must follow it.
 */
function patternOf(field: string): RegExp {
  return new RegExp(`"${field}"\\s*:\\s*([-+.\\deE]+)(?=[^-+.\\deE])`, 'g')
}

function numbersIn(text: string, pattern: RegExp): readonly number[] {
  const found: number[] = []
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    found.push(Number(match[1]))
  return found
}
