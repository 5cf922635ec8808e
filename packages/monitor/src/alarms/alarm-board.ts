/**
 * The alarms of all processes on the store, as this one knows them. An alarm lasts until somebody has confirmed or acknowledged it, over
 * restarts too. Headers, metrics and the page all show what is here.
 */
import type { Host, MonitorClock, MonitorLog } from '../host.ts'
import type { Alarm, AlarmStore, AlarmSubject } from './alarm.ts'

/** As long as a revoked key may take to be refused everywhere. */
const FRESH_MS = 5_000
const EVENTS = {
  unit: 'unit-doubt',
  feed: 'feed-doubt',
  drift: 'drift',
  calibration: 'calibration-alarm',
} as const

interface BoardParts {
  readonly store: AlarmStore
  readonly clock: Pick<MonitorClock, 'now'>
  readonly log: MonitorLog
  readonly host: Pick<Host, 'steadyNow'>
}

export class AlarmBoard {
  private readonly parts: BoardParts
  /** What alarms hold for now, by what they are about except the key. */
  private readonly bases = new Map<string, string>()
  /** By deployment, the models whose alarms of drift hold for the present one too. */
  private readonly formerModels = new Map<string, Set<string>>()
  private readonly listeners: (() => void)[] = []
  private alarms: ReadonlyMap<string, Alarm> = new Map()
  /** Raised here, and not yet in the store. */
  private readonly unsaved = new Map<string, Alarm>()
  /** The open ones by all that they are about but the field. Every answer asks for its own. */
  private open: ReadonlyMap<string, readonly Alarm[]> = new Map()
  private changes = 0
  private readAt = -Infinity
  private running: Promise<void> = Promise.resolve()
  /** The refresh that begins after the running one. */
  private waiting: Promise<void> | undefined

  constructor(parts: BoardParts) {
    this.parts = parts
  }

  /** Says what is watched. Alarms about anything else, or about an earlier unit or model, are not in force. */
  watch(subject: Omit<AlarmSubject, 'keyId'>, basis: string): void {
    this.bases.set(nameOf({ ...subject, keyId: '' }), basis)
  }

  /** Says that the numbers of an earlier model of a deployment follow from the same, so that its alarms hold. */
  holdsFor(deployment: string, model: string): void {
    const models = this.formerModels.get(deployment) ?? new Set()
    this.formerModels.set(deployment, models.add(model))
  }

  /** Calls the listener when alarms have been read. */
  onRead(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** The last state of an alarm. One that is not fresh is read again, for the next call. */
  find(subject: AlarmSubject): Alarm | undefined {
    this.keepFresh()
    return this.unsaved.get(nameOf(subject)) ?? this.alarms.get(nameOf(subject))
  }

  /** The open alarms of this kind about what one key sends to one deployment. */
  raisedAbout(subject: Omit<AlarmSubject, 'field'>): readonly Alarm[] {
    this.keepFresh()
    return this.open.get(senderOf(subject)) ?? []
  }

  /** The first month by which outcomes of a deployment, or of one of its groups, raised an alarm that is open. */
  monthOf(deployment: string): string | undefined {
    this.keepFresh()
    const isOpen = (each: Alarm): boolean =>
      each.kind === 'calibration' && each.deployment === deployment && each.state === 'raised'
    return [...this.alarms.values()]
      .filter(isOpen)
      .map(({ likely }) => likely)
      .sort()[0]
  }

  /** The alarms that nobody has confirmed or acknowledged yet. */
  async raised(): Promise<readonly Alarm[]> {
    await this.refresh()
    const all = new Map([...this.alarms, ...this.unsaved])
    const raised = [...all.values()].filter(({ state }) => state === 'raised')
    // Two tests may find the same unit; it is one thing to look at.
    const isNamed = (each: Alarm): boolean => all.get(nameOf({ ...each, kind: 'unit' }))?.state === 'raised'
    return raised.filter((each) => each.kind !== 'feed' || each.reference !== 'unit' || !isNamed(each))
  }

  /** Resolves when the store has it, or has failed. */
  raise(alarm: Omit<Alarm, 'state' | 'at'>): Promise<void> {
    const { kind, deployment, keyId, field, likely } = alarm
    this.unsaved.set(nameOf(alarm), { ...alarm, state: 'raised', at: this.parts.clock.now() })
    this.sortOpen()
    const key = keyId === '' ? undefined : keyId
    const reason = kind === 'calibration' ? likely : field
    this.parts.log.error({ event: EVENTS[kind], deployment, key, reason })
    return this.refresh()
  }

  /** Writes what is new and reads the rest. What the store does not take or give now is tried again. */
  refresh(): Promise<void> {
    this.readAt = this.parts.host.steadyNow()
    // One after the other: several alarms of one body would write the same rows at the same time. Those that wait do it together.
    this.waiting ??= this.running.then(() => {
      this.waiting = undefined
      return this.writeAndRead()
    })
    this.running = this.waiting
    return this.waiting
  }

  private async writeAndRead(): Promise<void> {
    const { store } = this.parts
    try {
      for (const alarm of this.unsaved.values()) await store.writeAlarm(alarm)
      const all = await store.readAlarms()
      const isInForce = (each: Alarm): boolean => {
        if (each.kind === 'calibration') return true
        const basis = this.bases.get(nameOf({ ...each, keyId: '' }))
        if (basis === undefined || basis === each.basis) return basis !== undefined
        return each.kind === 'drift' && this.formerModels.get(each.deployment)?.has(each.basis) === true
      }
      this.alarms = new Map(all.filter(isInForce).map((each) => [nameOf(each), each]))
      for (const name of this.unsaved.keys()) if (this.alarms.has(name)) this.unsaved.delete(name)
      this.sortOpen()
      for (const listener of this.listeners) listener()
    } catch {
      // The health of the store is reported elsewhere.
    }
  }

  /** A number that changes whenever the open alarms may have. */
  get version(): number {
    this.keepFresh()
    return this.changes
  }

  private sortOpen(): void {
    this.changes++
    const open = new Map<string, Alarm[]>()
    for (const each of new Map([...this.alarms, ...this.unsaved]).values()) {
      if (each.state !== 'raised') continue
      const sender = senderOf(each)
      open.set(sender, [...(open.get(sender) ?? []), each])
    }
    this.open = open
  }

  private keepFresh(): void {
    if (this.parts.host.steadyNow() - this.readAt > FRESH_MS) void this.refresh()
  }
}

function senderOf({ kind, deployment, keyId }: Omit<AlarmSubject, 'field'>): string {
  return `${kind} ${deployment} ${keyId}`
}

function nameOf({ kind, deployment, keyId, field }: AlarmSubject): string {
  return `${kind} ${deployment} ${keyId} ${field}`
}
