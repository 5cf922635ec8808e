/** What happens to two processes on one PostgreSQL in a run: calls and accidents in the order of the seed, then a look at everything. */
import { join } from 'node:path'
import { openStore } from '../../../src/store/open.ts'
import { type Action, Callers, SETTLED_MS } from '../callers.ts'
import { Promises } from '../promises.ts'
import { SECRET, Service } from '../service.ts'
import type { World } from '../world.ts'
import type { Database } from './database.ts'

const ACTIONS = { least: 8, most: 30 }
/** Of services that share a PostgreSQL; docs/keys.md. */
const REVOKED_WITHIN_MS = 5_000
/** A start waits so long for a server, and a little more. */
const START_MS = 15_000
const MOST_PROCESSES = 2
const ANY = /^/
/** Where a failure hurts: an append, a change of a key, the end of a transaction, a count of a limit, outcomes. */
const STATEMENTS = [ANY, /INTO audit_queue/, /(INTO|UPDATE) keys/, /^COMMIT/, /INTO quota/, /INTO outcome_/]
/** What a slow server is slow at. A caller then gives up between two statements, and the server would go on. */
const SLOW = [ANY, /INTO audit_queue/, /keys/, /INTO quota/, /alarms/, /outcome_|INTO audit_queue/]
/** Any: `Database` takes the place of the network. */
const URL = 'postgres://simulated/store'

/** Counts wait in SQLite alone. */
const NEVER_WIDE = Infinity

export class PostgresScenario extends Callers {
  private readonly database: Database
  private readonly folder: string
  /** The data folders of the processes that run or start, by their names. */
  private readonly slots = new Map<string, number>()
  private names = 0
  /** Nothing goes wrong with the server or the network: then more can be said of times. */
  private readonly isCalm: boolean

  constructor(world: World, database: Database, folder: string, say: (line: string) => void) {
    super(world, new Promises(world, say, REVOKED_WITHIN_MS, NEVER_WIDE), say, {
      isManaged: world.seed % 5 === 3,
      isScored: [3, 10, 13].includes(world.seed % 16),
    })
    this.database = database
    this.folder = folder
    this.isCalm = world.chance(0.3)
    database.onQuota = (...handed) => this.promises.handedOut(...handed)
  }

  async run(): Promise<readonly string[]> {
    const { world, promises } = this
    this.start()
    if (world.chance(0.7)) this.start()
    await world.advance(50)
    const actions = world.between(ACTIONS.least, ACTIONS.most)
    for (let action = 0; action < actions && promises.faults.length === 0; action++) {
      if (this.slots.size === 0) this.start()
      this.act()
      await world.advance(this.gapMs())
    }
    world.slowShare = 0
    this.database.heal()
    await world.advance(SETTLED_MS)
    await this.allServe()
    await this.lookAtAll()
    return promises.faults
  }

  private act(): void {
    const { world, database } = this
    const fail = (kind: 'cut before' | 'cut after' | 'slow statement' | 'slow answer') => () => {
      const of = world.pick(STATEMENTS)
      database.fault = { in: of === ANY ? world.between(1, 8) : world.between(1, 2), of, kind }
    }
    const processes: readonly Action[] = [
      ...this.usual(),
      [2, 'second process', () => this.start()],
      [1, 'stop', () => this.stopOne()],
    ]
    const accidents: readonly Action[] = [
      [3, 'kill', () => this.killOne()],
      [3, 'a connection is cut before a statement', fail('cut before')],
      [4, 'a connection is cut after a statement', fail('cut after')],
      [2, 'a statement arrives late', fail('slow statement')],
      [2, 'an answer arrives late', fail('slow answer')],
      [3, 'the server is slow', () => database.slow(world.between(2_000, 20_000), world.pick(SLOW))],
      [1, 'the network is silent', () => database.silence(world.between(1, 4_000))],
      [1, 'the server refuses connections', () => database.refuse(world.between(1, 4_000))],
      [2, 'the server crashes', () => this.crashServer()],
    ]
    this.actOne(this.isCalm ? processes : [...processes, ...accidents])
  }

  private start(isNecessary = false): void {
    const { world, promises, folder } = this
    if (this.slots.size >= MOST_PROCESSES) return
    const owner = `process${++this.names}`
    const slot = [...this.slots.values()].includes(0) ? 1 : 0
    this.slots.set(owner, slot)
    const beganAt = world.steadyMs
    const open = (): ReturnType<typeof openStore> =>
      openStore(join(folder, String(slot)), SECRET, URL, { isServing: true })
    world.as(owner, () => {
      Service.start(world, owner, promises, open).then(
        (service) => {
          this.services.push(service)
          this.say(`${world.steadyMs.toFixed(1)} ${owner} runs`)
        },
        (error: unknown) => {
          this.say(`${owner} does not start: ${(error as Error).message}`)
          this.end(owner)
          if (isNecessary || world.disturbedUntil < beganAt)
            promises.broken(`the start is refused: ${(error as Error).message}`)
        },
      )
    })
  }

  private stopOne(): void {
    const service = this.services.pop()
    if (service === undefined) return
    this.world.as(service.owner, () => {
      const ended = (): void => this.end(service.owner)
      service.stop().then(ended, ended)
    })
  }

  private killOne(): void {
    const owners = [...this.slots.keys()]
    if (owners.length > 0) this.end(this.world.pick(owners))
  }

  private end(owner: string): void {
    this.say(`${this.world.steadyMs.toFixed(1)} ${owner} ends`)
    this.services = this.services.filter((service) => service.owner !== owner)
    this.slots.delete(owner)
    this.world.kill(owner)
    this.database.cutOwner(owner)
  }

  private crashServer(): void {
    this.promises.countsLost()
    this.database.crash(this.world.between(1, 4_000))
  }

  /** All processes end, the server crashes once more, and a new process reads everything. */
  private async lookAtAll(): Promise<void> {
    const { world, promises } = this
    for (const owner of [...this.slots.keys()]) this.end(owner)
    await world.advance(SETTLED_MS)
    this.crashServer()
    await world.advance(SETTLED_MS)
    this.start(true)
    await world.advance(START_MS)
    const [service] = this.services
    if (service === undefined) {
      if (promises.faults.length === 0) promises.broken('the start does not end')
      return
    }
    const reason = await this.ended(service.owner, () => promises.check(service.store, service.anchorFile))
    if (reason !== undefined) promises.broken(`the store cannot be read: ${reason}`)
  }
}
