/** A process of the service on the simulated machine, and what its callers learn from it. */
import { PrimaryProcess } from '../../src/cluster/shared-counts.ts'
import type { Log } from '../../src/log/log.ts'
import { startUpkeep } from '../../src/store/audit/audit-upkeep.ts'
import { type AuditEntry, makeEntry } from '../../src/store/audit/audit-row.ts'
import { KeyCache } from '../../src/store/keys/key-cache.ts'
import { KeyManager } from '../../src/store/keys/key-manager.ts'
import { KeyRuleError } from '../../src/store/keys/key-rules.ts'
import type { OpenStore } from '../../src/store/open.ts'
import { Limiter, MemoryQuota } from '../../src/store/quota.ts'
import type { QuotaGrant, Store } from '../../src/store/store.ts'
import { type Attempt, isRefusal } from './attempts.ts'
import type { OutcomeRequest } from '../../src/store/outcomes/sql-outcomes.ts'
import { alarmOf, correction, outcomeRequest, outcomesByReceipt, scoredBy } from './outcomes-and-alarms.ts'
import type { Promises } from './promises.ts'
import { type QuotaCaller, quotaCaller, watchedQuota } from './quota-callers.ts'
import type { End, Owner, World } from './world.ts'

export const SECRET = 'the secret of the simulated service, 32 bytes or more'
type Told = Attempt['end']

/** What the service logs only where somebody has changed the audit. A read that failed is another matter. */
const DAMAGE = new Set(['audit-damaged', 'audit-queue-forged'])
const UNREAD = 'the newest rows cannot be read'

/** The primary process: it counts the limits for all others. */
export class Primary {
  readonly owner: Owner
  private readonly process = new PrimaryProcess()
  private readonly world: World
  private readonly callers = new WeakMap<object, QuotaCaller>()
  /** The caller whose message it is working on. */
  private present: QuotaCaller | undefined

  constructor(world: World, owner: Owner, promises: Promises) {
    this.world = world
    this.owner = owner
    const quota = Reflect.get(this.process, 'quota') as MemoryQuota
    const take = quota.take.bind(quota)
    quota.take = (...args): QuotaGrant => {
      const grant = take(...args)
      promises.handedOut(grant, world.steadyMs, this.present)
      return grant
    }
  }

  connect(owner: Owner): End {
    const [outer, inner] = this.world.channel(owner, this.owner)
    const send = outer.send.bind(outer)
    outer.send = (message) => {
      const caller = quotaCaller.getStore()
      if (caller !== undefined) this.callers.set(message, caller)
      send(message)
    }
    const receive = inner.receive.bind(inner)
    inner.receive = (message) => {
      this.present = this.callers.get(message as object)
      receive(message)
      this.present = undefined
    }
    this.process.serve(inner as never)
    return outer
  }
}

export class Service {
  readonly owner: Owner
  /** Of the clock on the wall, as far as this process has asked it. */
  private latestSeen = 0
  /** What acknowledged rows said when it was started. */
  private readonly recordedAtStart: number
  private readonly opened: OpenStore
  private readonly promises: Promises
  private readonly world: World
  private readonly keys: KeyCache
  private readonly limiter: Limiter
  private readonly manager: KeyManager
  private readonly endUpkeep: () => void

  private constructor(owner: Owner, opened: OpenStore, promises: Promises, world: World, recorded: number) {
    this.owner = owner
    this.opened = opened
    this.promises = promises
    this.world = world
    this.recordedAtStart = recorded
    const { store, secrets } = opened
    this.keys = new KeyCache(store, secrets)
    this.limiter = new Limiter(watchedQuota(store, world))
    const latest = (): number => this.keys.latestTime(Date.now())
    this.manager = new KeyManager({
      store: promises.hasRowsOfKeys ? store : watchedKeys(store, promises),
      secrets,
      deployments: ['ward'],
      now: () => Date.now(),
      latest,
    })
    const error = ({ event = '', reason }: { readonly event?: string; readonly reason?: string }): void => {
      if (DAMAGE.has(event) && reason !== UNREAD) promises.broken(`the log says ${event}: ${reason}`)
    }
    this.endUpkeep = startUpkeep(opened, undefined, { info: () => undefined, error } as unknown as Log)
  }

  get store(): OpenStore['store'] {
    return this.opened.store
  }

  get anchorFile(): OpenStore['anchorFile'] {
    return this.opened.anchorFile
  }

  static async start(
    world: World,
    owner: Owner,
    promises: Promises,
    open: () => Promise<OpenStore>,
  ): Promise<Service> {
    const recorded = promises.latestRecorded
    return new Service(owner, await open(), promises, world, recorded)
  }

  /** A call: key, limit, row. What it acknowledges is a promise. */
  async call(text: string, amount: number): Promise<void> {
    const { promises, world } = this
    const startedAt = world.steadyMs
    const now = Date.now()
    this.latestSeen = Math.max(this.latestSeen, now)
    const latest = Math.max(this.latestSeen, this.recordedAtStart)
    const key = await this.keys.verify(text, now)
    promises.verified(text, key !== undefined, latest, startedAt)
    let status = 401
    if (key !== undefined) {
      const { isGranted } = await this.limiter.take('ward', promises.limit, amount)
      if (isGranted) promises.granted(amount, world.steadyMs)
      status = isGranted ? 200 : 429
    }
    await this.record({ keyId: key?.id ?? null, status, records: amount })
  }

  async probe(): Promise<void> {
    const reason = await this.store.health()
    if (reason !== undefined) throw new Error(`not ready: ${reason}`)
  }

  /** Nothing is wrong any more: it is ready and takes rows. */
  async recover(): Promise<void> {
    await this.probe()
    await this.record({ keyId: null, status: 200, records: 0 })
  }

  async makeKey(expires: string | undefined, admin = false): Promise<void> {
    const made = await this.change('keys create', 'key', (row) =>
      this.manager.create({ name: 'caller', expires, admin }, 'all', row),
    )
    if (admin) this.promises.madeAdmin(made.id)
    this.promises.madeKey(made.id, made.key, expires === undefined ? null : await this.endOf(made.id))
  }

  async replaceKey(id: string, overlap: string): Promise<void> {
    const made = await this.change('keys rotate', 'key', (row) =>
      this.manager.rotate(id, { overlap }, 'all', row),
    )
    this.promises.madeKey(made.id, made.key, await this.endOf(made.id))
    this.promises.endsAt(id, await this.endOf(id))
  }

  async revokeKey(id: string, isForced: boolean): Promise<void> {
    await this.change('keys revoke', 'revocation', (row) => this.manager.revoke(id, 'all', isForced, row))
    this.promises.revoked(id, this.world.steadyMs)
  }

  /**
   * One call of an administrator, with its row. What the caller is told holds for all of it: refused means that neither the change nor the
   * row is stored.
   */
  private async change<T extends { readonly id: string }>(
    call: string,
    what: 'key' | 'revocation',
    act: (rowFor?: (changed: { readonly id: string }) => AuditEntry) => Promise<T>,
  ): Promise<T> {
    if (!this.promises.hasRowsOfKeys) return act()
    const { promises } = this
    const told: ((end: Told) => void)[] = []
    const rowFor = ({ id }: { readonly id: string }): AuditEntry => {
      const at = Date.now()
      const requestId = promises.newRow(at)
      const attempt = promises.attempts.begin(`${what} ${id}`)
      told.push((end) => {
        attempt(end)
        if (end === 'acknowledged') promises.acknowledgedRow(requestId)
        if (end === 'refused') promises.refusedRow(requestId)
      })
      return makeEntry({ at, requestId, keyId: null, call, subject: id })
    }
    const tell = (end: Told): void => told.forEach((each) => each(end))
    try {
      const result = await act(rowFor)
      tell('acknowledged')
      return result
    } catch (error) {
      tell(isRefusal(error) || error instanceof KeyRuleError ? 'refused' : 'unknown')
      throw error
    }
  }

  /** Outcomes that are sent for the first time or again: they count once. Where nothing is counted, another row says so. */
  async sendOutcomes(serial: number): Promise<void> {
    const { wideEvery } = this.promises
    await this.count(`outcomes ${serial}`, (at, requestId) =>
      outcomeRequest(serial, at, requestId, wideEvery),
    )
  }

  /** By another caller each time, so that only the receipt says that they came before. */
  async sendByReceipt(serial: number, caller: string): Promise<void> {
    await this.count(`outcomes ${serial}`, (at, requestId) =>
      outcomesByReceipt(serial, caller, at, requestId),
    )
  }

  async correct(serial: number, caller: string): Promise<void> {
    await this.count(`correction ${serial}`, (at, requestId) => correction(serial, caller, at, requestId))
  }

  private async count(name: string, make: (at: number, requestId: string) => OutcomeRequest): Promise<void> {
    const { promises } = this
    const at = Date.now()
    const requestId = promises.newRow(at)
    const request = make(at, requestId)
    const attempt = promises.attempts.begin(name)
    try {
      const done = await this.store.countOutcomes(request)
      // There is nothing to correct, or somebody else has corrected it: the caller learns that nothing was counted.
      attempt(done === 'changed' && request.corrected !== undefined ? 'refused' : 'acknowledged')
      if (done === 'conflict') promises.broken(`${name}: taken for another body`)
      if (done === 'counted') promises.acknowledgedRow(requestId)
      else promises.refusedRow(requestId)
      if (done === 'counted') return
    } catch (error) {
      attempt(isRefusal(error) ? 'refused' : 'unknown')
      if (isRefusal(error)) promises.refusedRow(requestId)
      throw error
    }
    await this.record({ keyId: null, call: 'outcomes', status: 200, records: 2 })
  }

  async writeAlarm(serial: number): Promise<void> {
    await this.promises.attempts.note(`alarm ${serial}`, () => this.store.writeAlarm(alarmOf(serial)))
  }

  async prune(before: number): Promise<void> {
    this.promises.pruned(before)
    while ((await this.store.pruneAudit(before, Date.now())) > 0);
  }

  async stop(): Promise<void> {
    this.endUpkeep()
    await this.store.close()
  }

  private async record(facts: Pick<AuditEntry, 'keyId'> & Readonly<Record<string, unknown>>): Promise<void> {
    const at = Date.now()
    const requestId = this.promises.newRow(at)
    const isScored = this.promises.hasScores && facts['call'] === undefined && facts['status'] === 200
    const scored = isScored ? scoredBy(requestId) : undefined
    if (isScored) this.promises.scored.add(requestId)
    const said = { call: 'score', ...(scored?.facts ?? { deployment: 'ward' }), ...facts }
    const entry: AuditEntry = {
      ...makeEntry({ at, requestId, ...said }),
      countedRisks: scored?.countedRisks,
    }
    try {
      await this.store.appendAudit([entry])
    } catch (error) {
      if (isRefusal(error)) this.promises.refusedRow(requestId)
      throw error
    }
    this.promises.acknowledgedRow(requestId)
  }

  private async endOf(id: string): Promise<number | null> {
    return (await this.store.findKey(id))?.expiresAt ?? null
  }
}

/** Without rows: notes what becomes of each change of a key, as the store answers it. */
function watchedKeys(store: Store, { attempts }: Promises): Store {
  return {
    ...store,
    insertKey: (key, oldEndsAt) => attempts.note(`key ${key.id}`, () => store.insertKey(key, oldEndsAt)),
    revokeKey: (id, at) => attempts.note(`revocation ${id}`, () => store.revokeKey(id, at)),
  }
}
