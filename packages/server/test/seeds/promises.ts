/** What the service has acknowledged in a run, and where it does not keep its word. */
import { mayAdminister } from '../../src/store/keys/key-scopes.ts'
import type { QuotaGrant, Store } from '../../src/store/store.ts'
import { factsOf } from '../../src/store/audit/audit-facts.ts'
import { type AnchorFile } from '../../src/store/audit/anchor-file.ts'
import { allRows, verifyStore } from '../../src/store/audit/verify-chain.ts'
import { Attempts } from './attempts.ts'
import { WIDE_EVERY, alarmFaults, outcomeFaults, scoredFaults } from './outcomes-and-alarms.ts'
import type { QuotaCaller } from './quota-callers.ts'
import type { World } from './world.ts'

/** A call that was under way when the store came back. */
const AFTERMATH_MS = 3_000
const WINDOW_MS = 60_000
const MOST_STEPS = 20

interface Row {
  readonly at: number
  isAcknowledged: boolean
  /** Its caller was told that it is not stored. */
  isRefused: boolean
}

interface Key {
  readonly text: string
  expiresAt: number | null
  /** When its end was set because another key replaces it. */
  replacedAt?: number
  /** When the revocation was acknowledged. */
  revokedAt?: number
}

export class Promises {
  /** Of the limit that all callers share. */
  readonly limit: number
  readonly faults: string[] = []
  readonly keys = new Map<string, Key>()
  /** Keys of administrators, which have no end. */
  readonly admins = new Set<string>()
  /** Of keys, revocations, outcomes and alarms. */
  readonly attempts: Attempts
  latestRecorded = 0
  /** Whether a change of a key has its row in the same transaction, as calls of administrators have it. */
  hasRowsOfKeys = false
  /** Whether the risks of calls are counted, and outcomes are corrected and come with receipts. Only in some runs. */
  hasScores = false
  /** Rows of calls whose risks are counted. */
  readonly scored = new Set<string>()
  private readonly rows = new Map<string, Row>()
  private readonly world: World
  private prunedBefore = -Infinity
  private quota: { windowFrom: number; handedOut: number; granted: number } | undefined

  private readonly say: (line: string) => void

  /** A revocation works within a time; docs/keys.md. */
  private readonly revokedWithinMs: number
  private uncountedUntil = 0

  /** Every so many requests with outcomes one has more counts than one transaction of SQLite adds. */
  readonly wideEvery: number

  constructor(world: World, say: (line: string) => void, revokedWithinMs = 1_000, wideEvery = WIDE_EVERY) {
    this.wideEvery = wideEvery
    this.world = world
    this.say = say
    this.revokedWithinMs = revokedWithinMs
    this.attempts = new Attempts(world)
    this.limit = world.pick([5, 60, 1_000])
  }

  broken(fault: string): void {
    this.faults.push(fault)
  }

  newRow(at: number): string {
    const requestId = `r${this.rows.size + 1}`
    this.rows.set(requestId, { at, isAcknowledged: false, isRefused: false })
    return requestId
  }

  acknowledgedRow(requestId: string): void {
    const row = this.rows.get(requestId) as Row
    row.isAcknowledged = true
    this.say(`  ${requestId} of ${new Date(row.at).toISOString()}`)
    this.latestRecorded = Math.max(this.latestRecorded, row.at)
  }

  refusedRow(requestId: string): void {
    const row = this.rows.get(requestId) as Row
    row.isRefused = true
  }

  madeKey(id: string, text: string, expiresAt: number | null): void {
    this.keys.set(id, { text, expiresAt })
  }

  madeAdmin(id: string): void {
    this.admins.add(id)
  }

  endsAt(id: string, expiresAt: number | null): void {
    const key = this.keys.get(id)
    if (key !== undefined) Object.assign(key, { expiresAt, replacedAt: this.world.steadyMs })
  }

  revoked(id: string, at: number): void {
    const key = this.keys.get(id)
    if (key !== undefined) key.revokedAt ??= at
  }

  pruned(before: number): void {
    this.prunedBefore = Math.max(this.prunedBefore, before)
  }

  /** A key was shown, and accepted or refused, in a process that had seen this time on the wall or in the store. */
  verified(text: string, isAccepted: boolean, latestSeen: number, startedAt: number): void {
    const key = [...this.keys.values()].find((each) => each.text === text)
    if (key === undefined || !isAccepted) return
    const { revokedAt, replacedAt, expiresAt } = key
    // Of a change that was made while the store answered, and some time ago.
    const isKnown = (at: number): boolean =>
      this.world.disturbedUntil + AFTERMATH_MS < at && startedAt > at + this.revokedWithinMs
    if (revokedAt !== undefined && isKnown(revokedAt))
      this.broken(`a key is accepted ${Math.round(startedAt - revokedAt)} ms after it was revoked`)
    const isExpired = expiresAt !== null && expiresAt <= latestSeen
    if (isExpired && (replacedAt === undefined || isKnown(replacedAt)))
      this.broken('a key is accepted after a time at which it had expired')
  }

  /** The caller, where it is known, has asked for it. */
  handedOut({ granted, resetsInMs }: QuotaGrant, at: number, caller?: QuotaCaller): void {
    if (granted > 0 && caller?.isRefused === true) this.broken('quota was refused and handed out after that')
    const windowFrom = Math.floor(at) + resetsInMs - WINDOW_MS
    if (this.quota?.windowFrom !== windowFrom) this.quota = { windowFrom, handedOut: 0, granted: 0 }
    this.quota.handedOut += granted
    if (this.quota.handedOut > this.limit)
      this.broken(`${this.quota.handedOut} of ${this.limit} were handed out`)
  }

  granted(amount: number, at: number): void {
    if (this.quota === undefined || at >= this.quota.windowFrom + WINDOW_MS || at < this.uncountedUntil)
      return
    this.quota.granted += amount
    if (this.quota.granted > this.limit)
      this.broken(`${this.quota.granted} of ${this.limit} were granted in a minute`)
  }

  /** The limits are counted in memory: a start of the whole service begins anew. */
  restarted(): void {
    this.quota = undefined
  }

  /** The counts are lost while processes go on: what they still have of the old ones comes on top, for a minute. */
  countsLost(): void {
    this.quota = undefined
    this.uncountedUntil = this.world.steadyMs + WINDOW_MS
  }

  /** Looks at everything that a store holds, while nobody else uses it. */
  async check(store: Store, anchorFile: AnchorFile): Promise<void> {
    const { faults } = await verifyStore(store, anchorFile.read())
    for (const fault of faults) this.broken(`audit verify: ${fault}`)
    const found = new Map<string, number>()
    const requests = new Map<string, number>()
    for await (const row of allRows(store)) {
      const { requestId = '' } = JSON.parse(row.content || '{}') as { readonly requestId?: string }
      found.set(requestId, (found.get(requestId) ?? 0) + 1)
      const { keyId } = factsOf(row)
      if (keyId !== null) requests.set(keyId, (requests.get(keyId) ?? 0) + 1)
    }
    for (const [requestId, count] of found) {
      if (count > 1 && this.rows.has(requestId)) this.broken(`row ${requestId} is there ${count} times`)
    }
    for (const [requestId, { at, isAcknowledged, isRefused }] of this.rows) {
      if (isRefused && found.has(requestId)) this.broken(`row ${requestId} was refused and is there`)
      if (isAcknowledged && !found.has(requestId) && at >= this.prunedBefore)
        this.broken(`row ${requestId} was acknowledged and is missing`)
    }
    await this.checkKeys(store)
    // Outcomes that are sent by receipt have one count each.
    const wideEvery = this.hasScores ? Infinity : this.wideEvery
    for await (const fault of outcomeFaults(store, this.attempts, wideEvery)) this.broken(fault)
    for await (const fault of scoredFaults(store, this.rows, this.scored)) this.broken(fault)
    for await (const fault of alarmFaults(store, this.attempts)) this.broken(fault)
    if (this.prunedBefore === -Infinity) await this.checkUsage(store, requests)
  }

  private async checkKeys(store: Store): Promise<void> {
    const stored = new Map((await store.listKeys()).map((key) => [key.id, key]))
    for (const [id, { revokedAt }] of this.keys) {
      const key = stored.get(id)
      if (key === undefined) this.broken(`key ${id} was made and is missing`)
      else if (revokedAt !== undefined && key.revokedAt === null)
        this.broken(`key ${id} is no longer revoked`)
    }
    const isLeft = [...stored.values()].some((key) => mayAdminister(key) && key.revokedAt === null)
    if (this.admins.size > 0 && !isLeft) this.broken('the last key of an administrator was revoked')
    for (const { id, revokedAt } of stored.values()) {
      if (this.attempts.isRefused(`key ${id}`)) this.broken(`key ${id} was refused and is there`)
      if (revokedAt !== null && this.attempts.isRefused(`revocation ${id}`))
        this.broken(`the revocation of key ${id} was refused and is stored`)
    }
  }

  private async checkUsage(store: Store, requests: ReadonlyMap<string, number>): Promise<void> {
    let steps = 0
    while ((await store.countRows()) && ++steps < MOST_STEPS);
    if (steps === MOST_STEPS) this.broken('counting the rows does not end')
    const { keys } = await store.readUsage({
      first: 0,
      last: Number.MAX_SAFE_INTEGER,
      deployments: undefined,
    })
    for (const { keyId, requests: counted } of keys) {
      const rows = requests.get(keyId) ?? 0
      if (counted !== rows) this.broken(`the counters have ${counted} requests of a key, and ${rows} rows`)
    }
  }
}
