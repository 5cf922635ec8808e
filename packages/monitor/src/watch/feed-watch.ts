/**
 * What is watched of the feeds of one deployment, whichever entrance their records come through: units, drift, codes, and all that
 * `FeedMonitor` looks for. Every entrance collects with a `RecordCollector` and counts here.
 */
import type { Codes, WatchSample } from 'patient-risk-engine'
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { MonitoredCatalog, MonitoredDeployment } from '../deployment.ts'
import type { DriftWatch } from '../drift/drift-watch.ts'
import type { FeedDoubt } from '../feeds/feed-doubt.ts'
import { FeedMonitor, isConfirmed } from '../feeds/feed-monitor.ts'
import { Feed } from '../feeds/feed.ts'
import { type UnitMonitor, watchUnits } from '../units/unit-monitor.ts'
import { type Observed, RecordCollector } from './record-collector.ts'

/** A field of codes is sent as it is, in every unit and by every model. */
const AS_SENT = 'as sent'

const NONE: readonly FeedDoubt[] = []
/** Keys whose doubts are remembered. */
const MOST_KNOWN = 10_000

interface WatchParts {
  readonly deployment: MonitoredDeployment
  readonly catalog: MonitoredCatalog
  readonly board: AlarmBoard
  readonly drift: DriftWatch
}

export class FeedWatch {
  /** For bodies that are answered in this thread, one after the other. */
  readonly collector: RecordCollector
  private readonly name: string
  private readonly mapped: Codes
  private readonly board: AlarmBoard
  private readonly drift: DriftWatch
  private readonly units: UnitMonitor | undefined
  private readonly feeds: FeedMonitor
  private readonly newSender: Feed
  private readonly known = new Map<string, readonly FeedDoubt[]>()
  private knownVersion = -1

  constructor({ deployment, catalog, board, drift }: WatchParts) {
    const { name, model, scorerOptions } = deployment
    const { definitions } = catalog
    const { conversions, codes = {} } = scorerOptions
    this.collector = new RecordCollector({ definitions, model: model.definition, conversions })
    this.name = name
    this.mapped = codes
    this.board = board
    this.drift = drift
    this.units = watchUnits(catalog, [deployment], board).get(name)
    this.feeds = new FeedMonitor(name, this.collector.plan, board)
    this.newSender = new Feed(this.collector.plan)
  }

  /** Which records of the next body of a key are seen. A new sender has no feed before it has sent something. */
  sampleOf(keyId: string, bytes: number): WatchSample {
    return (this.feeds.knownFeed(keyId) ?? this.newSender).sample(bytes)
  }

  /** Counts what was taken of a body that was answered. */
  count(keyId: string, { seen, units, places, codes }: Observed): void {
    this.drift.count(this.name, places)
    this.units?.count(keyId, units)
    this.feeds.feedOf(keyId).observeBody(seen)
    this.collector.reuse(seen)
    for (const field of new Set(codes.map(([name]) => name))) this.raiseCodes(keyId, field)
  }

  /** The open doubts of a key. Fields whose codes are mapped, for all or for this key, have no doubt about codes. */
  doubts(keyId: string, ofKey?: Codes): readonly FeedDoubt[] {
    const doubts = this.doubtsOf(keyId)
    if (ofKey === undefined || doubts.length === 0) return doubts
    return doubts.filter(({ field, doubt }) => doubt !== 'codes' || !Object.hasOwn(ofKey, field))
  }

  /** Every answer asks for them, and they change with the alarms alone. */
  private doubtsOf(keyId: string): readonly FeedDoubt[] {
    const { version } = this.board
    if (version !== this.knownVersion || this.known.size >= MOST_KNOWN) {
      this.known.clear()
      this.knownVersion = version
    }
    const known = this.known.get(keyId)
    if (known !== undefined) return known
    const doubts = this.readDoubts(keyId)
    this.known.set(keyId, doubts)
    return doubts
  }

  private readDoubts(keyId: string): readonly FeedDoubt[] {
    const isMapped = (field: string): boolean => Object.hasOwn(this.mapped, field)
    const units = this.units?.doubts(keyId) ?? NONE
    const others = this.feeds.doubts(keyId)
    if (others.length === 0) return units
    const isNamed = (field: string): boolean => units.some((each) => each.field === field)
    const added = others.filter(
      ({ field, doubt }) => !isNamed(field) && (doubt !== 'codes' || !isMapped(field)),
    )
    return [...units, ...added]
  }

  /** The value of the header `Risk-Unit-Doubt`, which stays for one version. */
  unitDoubt(keyId: string): string | undefined {
    return this.units?.doubt(keyId)
  }

  /** One foreign code is enough: the sender writes by another convention. */
  private raiseCodes(keyId: string, field: string): void {
    const subject = { kind: 'feed', deployment: this.name, keyId, field } as const
    const known = this.board.find(subject)
    if (known?.state === 'raised' && known.reference === 'codes') return
    if (isConfirmed(known, 'codes')) return
    void this.board.raise({ ...subject, basis: AS_SENT, likely: '', reference: 'codes' })
  }
}

/** By the name of the deployment. */
export function watchFeeds(
  catalog: MonitoredCatalog,
  deployments: readonly MonitoredDeployment[],
  board: AlarmBoard,
  drift: DriftWatch,
): ReadonlyMap<string, FeedWatch> {
  return new Map(
    deployments.map((deployment) => [deployment.name, new FeedWatch({ deployment, catalog, board, drift })]),
  )
}
