/** The feeds of one deployment, by the key that sends them. Doubts are alarms: they last until somebody has looked at them. */
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { Alarm } from '../alarms/alarm.ts'
import { Feed } from './feed.ts'
import { type DoubtKind, type FeedDoubt, DOUBT_KINDS, SERIOUS_DOUBTS } from './feed-doubt.ts'
import type { FeedPlan } from './feed-plan.ts'

/** A feed takes some 300 bytes for each field that it sends. Beyond so many the one that was silent longest begins again. */
const MOST_FEEDS = 500
/** Holds for every doubt of a field without units: what a doubt is does not depend on the model. */
const AS_SENT = 'as sent'
/** The number of a record is no field of the catalogue, and can be doubted too. */
const IDX = 'idx'

interface KnownFeed {
  readonly feed: Feed
  /** When the alarm of a field was last acknowledged or confirmed: its test began then. */
  readonly since: Map<string, number>
  /** Up to which reading of the alarms this was looked at. */
  lookedAt: number
}

export class FeedMonitor {
  readonly plan: FeedPlan
  private readonly deployment: string
  private readonly alarms: AlarmBoard
  private readonly feeds = new Map<string, KnownFeed>()
  /** How often the alarms were read. */
  private readings = 0

  constructor(deployment: string, plan: FeedPlan, alarms: AlarmBoard) {
    this.deployment = deployment
    this.plan = plan
    this.alarms = alarms
    alarms.onRead(() => this.readings++)
    alarms.watch({ kind: 'feed', deployment, field: IDX }, AS_SENT)
    for (const { name, unit } of plan.fields)
      alarms.watch({ kind: 'feed', deployment, field: name }, unit?.received ?? AS_SENT)
  }

  /** The feed of a key. It is made when it is first asked for. */
  feedOf(keyId: string): Feed {
    let known = this.feeds.get(keyId)
    // The order of the map is the order of the last use.
    if (known !== undefined) this.feeds.delete(keyId)
    else if (this.feeds.size >= MOST_FEEDS) this.feeds.delete(this.feeds.keys().next().value ?? '')
    known ??= {
      feed: new Feed(this.plan, (doubt) => this.raise(keyId, doubt)),
      since: new Map(),
      lookedAt: this.readings,
    }
    this.feeds.set(keyId, known)
    if (known.lookedAt < this.readings) this.restart(keyId, known)
    return known.feed
  }

  /** The feed of a key, where it has sent something. */
  knownFeed(keyId: string): Feed | undefined {
    return this.feeds.get(keyId)?.feed
  }

  /** The doubts of a key that nobody has confirmed or acknowledged. They last over restarts. */
  doubts(keyId: string): readonly FeedDoubt[] {
    const { deployment } = this
    const raised = this.alarms.raisedAbout({ kind: 'feed', deployment, keyId })
    if (raised.length === 0) return []
    const placeOf = (field: string): number => this.plan.placeOfName.get(field) ?? -1
    return raised
      .toSorted((one, other) => placeOf(one.field) - placeOf(other.field))
      .flatMap(({ field, reference, likely }): FeedDoubt[] => {
        const place = placeOf(field)
        if ((place < 0 && field !== IDX) || !isKind(reference)) return []
        const unit = reference === 'unit' ? this.plan.fields[place]?.unit : undefined
        return [
          {
            field,
            doubt: reference,
            ...(unit === undefined ? {} : { received: unit.received }),
            ...(likely === '' ? {} : { likely }),
          },
        ]
      })
  }

  private raise(keyId: string, { field, doubt, likely }: FeedDoubt): void {
    const subject = this.subjectOf(keyId, field)
    const known = this.alarms.find(subject)
    if (known?.state === 'raised' || isConfirmed(known, doubt)) return
    const unit = this.plan.fields[this.plan.placeOfName.get(field) ?? -1]?.unit
    const basis = unit?.received ?? AS_SENT
    void this.alarms.raise({ ...subject, basis, likely: likely ?? '', reference: doubt })
  }

  /** After somebody has looked at an alarm, its test begins again. */
  private restart(keyId: string, known: KnownFeed): void {
    const { feed, since } = known
    known.lookedAt = this.readings
    for (const { field } of feed.doubts()) {
      const { state, at = 0 } = this.alarms.find(this.subjectOf(keyId, field)) ?? {}
      if (state === undefined || state === 'raised' || since.get(field) === at) continue
      since.set(field, at)
      feed.restart(field)
    }
  }

  private subjectOf(
    keyId: string,
    field: string,
  ): { kind: 'feed'; deployment: string; keyId: string; field: string } {
    return { kind: 'feed', deployment: this.deployment, keyId, field }
  }
}

/**
 * Whether somebody has found right what a feed sends in a field. Who has confirmed a ward of women alone has said nothing of codes: a
 * serious doubt comes again after a slight one was confirmed.
 */
export function isConfirmed(known: Alarm | undefined, doubt: DoubtKind): boolean {
  if (known?.state !== 'confirmed') return false
  const { reference } = known
  return (
    reference === doubt || !SERIOUS_DOUBTS.has(doubt) || !isKind(reference) || SERIOUS_DOUBTS.has(reference)
  )
}

function isKind(text: string): text is DoubtKind {
  return (DOUBT_KINDS as readonly string[]).includes(text)
}
