/** What happens in a run, whatever the store: callers, managers of keys, and one thing after the other as the seed decides. */
import type { Promises } from './promises.ts'
import type { Service } from './service.ts'
import type { Owner, World } from './world.ts'

const HOUR_MS = 3_600_000
/** Everything that is under way has ended after this time, or has failed. */
export const SETTLED_MS = 20_000

/** What some runs have that others do not, so that these stay as they were. */
export interface RunKind {
  /** Whether the keys of administrators change too. */
  readonly isManaged: boolean
  /** Whether risks are counted, and outcomes are corrected and come with receipts. */
  readonly isScored: boolean
}

/** How often something happens, compared with others, and what. */
export type Action = readonly [weight: number, name: string, act: () => void]

export abstract class Callers {
  readonly promises: Promises
  protected readonly world: World
  protected readonly say: (line: string) => void
  protected services: Service[] = []
  private weights: readonly number[] | undefined
  private sent = 0
  private alarms = 0
  private callers = 0

  private readonly isManaged: boolean

  constructor(
    world: World,
    promises: Promises,
    say: (line: string) => void,
    { isManaged, isScored }: RunKind,
  ) {
    this.isManaged = isManaged
    promises.hasRowsOfKeys = isManaged
    promises.hasScores = isScored
    this.world = world
    this.promises = promises
    this.say = say
  }

  protected gapMs(): number {
    const { world } = this
    const kind = world.random()
    return world.random() * (kind < 0.6 ? 6 : kind < 0.9 ? 300 : kind < 0.97 ? 5_000 : 70_000)
  }

  /** What callers and managers of keys do. */
  protected usual(): readonly Action[] {
    const { world } = this
    const overlaps = ['0s', '1h']
    return [
      [12, 'call', () => this.calls(1)],
      [5, 'calls', () => this.calls(world.between(2, 8))],
      [5, 'outcomes', () => this.sendOutcomes()],
      [2, 'alarm', () => this.writeAlarm()],
      [3, 'make a key', () => this.use((service) => service.makeKey(world.pick([undefined, '30s', '2h'])))],
      [2, 'replace a key', () => this.withKey((service, id) => service.replaceKey(id, world.pick(overlaps)))],
      [
        2,
        'revoke a key',
        () => this.withKey((service, id) => service.revokeKey(id, !this.isManaged || world.chance(0.5))),
      ],
      [1, 'prune', () => this.use((service) => service.prune(world.wall() - world.between(0, 4) * HOUR_MS))],
      [1, 'probe', () => this.use((service) => service.probe())],
      [2, 'clock', () => this.setClock(world.between(-30, 30) * world.pick([1_000, HOUR_MS]))],
      ...(this.isManaged ? this.management() : []),
      ...(this.promises.hasScores ? this.afterwards() : []),
    ]
  }

  /** What several callers say of the same patients. */
  private afterwards(): readonly Action[] {
    return [
      [
        5,
        'outcomes by receipt',
        () => this.saidOf((service, serial, caller) => service.sendByReceipt(serial, caller)),
      ],
      [5, 'correction', () => this.saidOf((service, serial, caller) => service.correct(serial, caller))],
    ]
  }

  /** Several administrators, who also manage the keys of each other. */
  private management(): readonly Action[] {
    return [
      [2, 'make an admin key', () => this.use((service) => service.makeKey(undefined, true))],
      [2, 'revoke admin keys', () => this.revokeAdmins()],
      [3, 'revoke a key', () => this.withKey((service, id) => service.revokeKey(id, false))],
    ]
  }

  /** One thing that somebody does or that goes wrong. */
  protected actOne(all: readonly Action[]): void {
    const { world } = this
    // Every run has things that happen often in it, and others that do not happen at all.
    this.weights ??= all.map(([weight]) => weight * world.pick([0, 1, 1, 4]))
    const { weights } = this
    let left = world.random() * weights.reduce((sum, weight) => sum + weight, 0)
    const place = weights.findIndex((weight) => (left -= weight) < 0)
    const [, name, act] = all[Math.max(0, place)] as Action
    this.say(`${world.steadyMs.toFixed(1)} ${name}`)
    act()
  }

  /** Callers are told of failures, and try again or not. */
  protected use(work: (service: Service) => Promise<void>): void {
    if (this.services.length === 0) return
    const service = this.world.pick(this.services)
    this.world.as(service.owner, () => {
      work(service).catch((error: unknown) => this.say(`  ${(error as Error).message}`))
    })
  }

  /** Why work of a process fails; undefined where it does not. */
  protected async ended(owner: Owner, work: () => Promise<void>): Promise<string | undefined> {
    const state = { isOver: false, reason: 'it does not end' as string | undefined }
    const end = (reason?: string): void => void Object.assign(state, { isOver: true, reason })
    this.world.as(owner, () => {
      work().then(
        () => end(),
        (error: unknown) => end((error as Error).message),
      )
    })
    await this.world.advance(SETTLED_MS, () => state.isOver)
    return state.reason
  }

  /** The processes that run must serve again without a restart. */
  protected async allServe(): Promise<void> {
    for (const service of [...this.services]) {
      const reason = await this.ended(service.owner, () => service.recover())
      if (reason !== undefined) this.promises.broken(`a process does not serve again: ${reason}`)
    }
  }

  private calls(count: number): void {
    const { world } = this
    const texts = [...this.promises.keys.values()].map(({ text }) => text)
    if (texts.length === 0) {
      this.use((service) => service.makeKey(world.pick([undefined, '30s'])))
      return
    }
    for (let call = 0; call < count; call++) {
      const text = world.pick(texts)
      const amount = world.between(1, Math.ceil(this.promises.limit / 4))
      this.use((service) => service.call(text, amount))
    }
  }

  /** New ones, or those of an earlier request again, whatever became of it. */
  private sendOutcomes(): void {
    const { world } = this
    const serial = this.sent > 0 && world.chance(0.5) ? world.between(1, this.sent) : ++this.sent
    const caller = `caller ${++this.callers}`
    this.use((service) =>
      this.promises.hasScores ? service.sendByReceipt(serial, caller) : service.sendOutcomes(serial),
    )
  }

  /** Often of one of the latest, and by two callers at once. */
  private saidOf(work: (service: Service, serial: number, caller: string) => Promise<void>): void {
    const { world } = this
    if (this.sent === 0) this.sent++
    const serial = world.chance(0.3) ? ++this.sent : world.between(Math.max(1, this.sent - 2), this.sent)
    for (let call = world.between(1, 2); call > 0; call--) {
      const caller = `caller ${++this.callers}`
      this.use((service) => work(service, serial, caller))
    }
  }

  private writeAlarm(): void {
    const serial = ++this.alarms
    this.use((service) => service.writeAlarm(serial))
  }

  private withKey(work: (service: Service, id: string) => Promise<void>): void {
    // Those of administrators neither end nor are revoked by force: then one of them must always be left.
    const ids = [...this.promises.keys.keys()].filter((id) => !this.promises.admins.has(id))
    if (ids.length > 0) this.use((service) => work(service, this.world.pick(ids)))
  }

  /** Administrators revoke the keys of each other at the same time. One of the keys must stay. */
  private revokeAdmins(): void {
    for (const id of this.promises.admins) this.use((service) => service.revokeKey(id, false))
  }

  private setClock(byMs: number): void {
    this.world.wallOffsetMs += byMs
    // A message that is under way may look late then.
    this.world.disturb(1_000)
  }
}
