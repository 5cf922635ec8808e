/** What happens on the simulated machine in one run: calls and accidents in an order that the seed decides, then a look at everything. */
import { Callers, SETTLED_MS } from './callers.ts'
import { ANCHORS, type CrashKind, type Image, imageOf, takeFiles } from './disk.ts'
import { type Machine, killThread } from './machine.ts'
import { Promises } from './promises.ts'
import { connectToPrimary } from '../../src/cluster/shared-counts.ts'
import { type OpenStore, openStore } from '../../src/store/open.ts'
import { Primary, SECRET, Service } from './service.ts'
import type { Owner } from './world.ts'

const ACTIONS = { least: 8, most: 30 }

export class Scenario extends Callers {
  private readonly machine: Machine
  private starting = 0
  private primary: Primary
  private names = 0
  /** An earlier state of the files. */
  private older: Image | undefined
  /** The files are away, and come back as this. */
  private away: (() => void) | undefined

  constructor(machine: Machine, say: (line: string) => void) {
    const { seed } = machine.world
    // None of those that planted defects name.
    const isScored = [7, 12, 13].includes(seed % 16)
    super(machine.world, new Promises(machine.world, say), say, { isManaged: seed % 4 === 2, isScored })
    this.machine = machine
    this.primary = this.newPrimary()
    machine.onCrash = () => this.allEnded()
  }

  async run(): Promise<readonly string[]> {
    const { world } = this
    this.start()
    await world.advance(50)
    const actions = world.between(ACTIONS.least, ACTIONS.most)
    for (let action = 0; action < actions && this.promises.faults.length === 0; action++) {
      if (this.services.length + this.starting === 0 && this.away === undefined) this.start()
      this.act()
      await world.advance(this.gapMs())
    }
    await this.recover()
    await this.lookAtAll()
    return this.promises.faults
  }

  /** One thing that somebody does or that goes wrong. */
  private act(): void {
    const { world } = this
    this.actOne([
      ...this.usual(),
      [1, 'second process', () => this.start()],
      [1, 'stop', () => this.stopOne()],
      [2, 'kill one', () => this.killOne()],
      [2, 'kill all', () => this.crash('kill')],
      [3, 'power cut', () => this.crash('power cut')],
      [1, 'thread dies', () => killThread(world)],
      [3, 'slow thread', () => this.slowThread()],
      [1, 'lock', () => this.machine.holdLock(world.between(1, 1_500))],
      [1, 'full disk', () => this.fillDisk()],
      [
        2,
        'disk error',
        () => (this.machine.failure = { in: world.between(1, 8), isDone: world.chance(0.5) }),
      ],
      [1, 'files away', () => this.takeAway()],
      [1, 'old copy', () => this.keepOlder()],
    ])
  }

  private newPrimary(): Primary {
    this.promises.restarted()
    return new Primary(this.world, `primary${++this.names}`, this.promises)
  }

  /** At most two processes at a time. A start that fails where nothing is wrong breaks a promise. */
  private start(isNecessary = false): void {
    if (this.services.length + this.starting >= 2 || this.away !== undefined) return
    const { world, machine, promises } = this
    const owner = `process${++this.names}`
    const beganAt = world.steadyMs
    this.starting++
    world.as(owner, () => {
      Service.start(world, owner, promises, () => this.open(owner)).then(
        (service) => {
          this.starting--
          this.services.push(service)
          this.say(`${world.steadyMs.toFixed(1)} ${owner} runs`)
        },
        (error: unknown) => {
          this.starting--
          this.say(`${owner} does not start: ${(error as Error).message}`)
          machine.endProcess(owner)
          const isDisturbed = world.disturbedUntil >= beganAt || machine.isFull || this.away !== undefined
          if (isNecessary || !isDisturbed)
            promises.broken(`the start is refused: ${(error as Error).message}`)
        },
      )
    })
  }

  private open(owner: Owner): Promise<OpenStore> {
    const { quota } = connectToPrimary(this.primary.connect(owner))
    return openStore(this.machine.folder, SECRET, undefined, { isServing: true, quota })
  }

  private stopOne(): void {
    if (this.away !== undefined) return
    const service = this.services.pop()
    if (service === undefined) return
    this.starting++
    this.world.as(service.owner, () => {
      const ended = (): void => {
        this.starting--
        this.machine.endProcess(service.owner)
      }
      service.stop().then(ended, ended)
    })
  }

  private killOne(): void {
    // The last process takes its files as they are: that is a crash of the machine.
    if (this.services.length < 2 || this.starting > 0) this.crash('kill')
    else this.machine.endProcess(this.services.shift()?.owner ?? '')
  }

  /** Not while the files are away: somebody looks after them at that time. */
  private crash(kind: CrashKind): void {
    if (this.away === undefined) this.machine.crashSoon(this.world.between(0, 25), kind)
  }

  /** The caller gives up, and the thread goes on. */
  private slowThread(): void {
    const { world } = this
    this.machine.stall = {
      in: world.between(1, 4),
      ms: world.pick([world.between(300, 2_000), world.between(2_000, 7_000)]),
      isInCommit: world.chance(0.2),
    }
  }

  private fillDisk(): void {
    this.machine.fill(true)
    this.world.disturb(2_000)
    this.world.schedule(() => this.machine.fill(false), this.world.between(1, 2_000), 'driver')
  }

  /** The files are moved or deleted while they are used; somebody puts them back as they were at that moment. */
  private takeAway(): void {
    const { machine, world } = this
    if (this.away !== undefined || this.starting > 0 || machine.isCrashing) return
    this.machine.releaseLock()
    const then = imageOf(machine.folder)
    const isMoved = world.chance(0.5)
    const { folder } = machine
    const moveBack = takeFiles(folder, isMoved)
    world.disturb(1_000)
    this.away = () => {
      this.away = undefined
      world.disturb(1_000)
      if (machine.folder !== folder) return
      if (isMoved) moveBack()
      else {
        this.allEnded()
        machine.replaceFiles({ ...imageOf(folder), ...then })
      }
    }
    world.schedule(() => this.away?.(), world.between(1, 3_000), 'driver')
  }

  /** Somebody keeps a copy of the files. */
  private keepOlder(): void {
    this.older ??= imageOf(this.machine.folder)
  }

  /** Every process has ended, and nobody waits for them any more. */
  private allEnded(): void {
    const { world } = this
    this.say(`${world.steadyMs.toFixed(1)} all processes end`)
    for (const { owner } of this.services) world.kill(owner)
    for (let name = 0; name <= this.names; name++) world.kill(`process${name}`)
    world.kill(this.primary.owner)
    this.services = []
    this.starting = 0
    this.machine.failure = undefined
    this.machine.stall = undefined
    world.disturb(10)
    this.primary = this.newPrimary()
  }

  /** Everything that was wrong is over: the processes that run must serve again without a restart. */
  private async recover(): Promise<void> {
    const { world, machine } = this
    this.away?.()
    world.slowShare = 0
    machine.releaseLock()
    machine.fill(false)
    machine.failure = undefined
    machine.stall = undefined
    await this.crashNow()
    await world.advance(SETTLED_MS)
    await this.allServe()
  }

  /** The crash that is due, if any. */
  private async crashNow(): Promise<void> {
    while (this.machine.isCrashing) {
      this.world.schedule(() => undefined, 0, 'driver')
      await this.world.advance(1)
    }
  }

  /** One more power cut, a start, and a look at all rows and keys. */
  private async lookAtAll(): Promise<void> {
    const { world, machine, promises } = this
    machine.crashSoon(world.between(0, 3), 'power cut')
    await this.crashNow()
    this.start(true)
    await world.advance(SETTLED_MS)
    const [service] = this.services
    if (service === undefined) {
      if (promises.faults.length === 0) promises.broken('the start does not end')
      return
    }
    const reason = await this.ended(service.owner, () => promises.check(service.store, service.anchorFile))
    if (reason !== undefined) promises.broken(`the store cannot be read: ${reason}`)
    await this.startOnOlder()
  }

  /** Somebody puts older files in place, beside the newest anchor. */
  private async startOnOlder(): Promise<void> {
    const { world, machine, promises, older } = this
    const newest = this.services[0]?.anchorFile.read().at(-1)
    if (older === undefined || newest === undefined) return
    const now = imageOf(machine.folder)
    this.allEnded()
    machine.replaceFiles({ ...older, [ANCHORS]: now[ANCHORS] })
    world.disturb(SETTLED_MS)
    this.start()
    await world.advance(SETTLED_MS)
    const [service] = this.services
    if (service === undefined) return
    await this.ended(service.owner, async () => {
      const { head } = await service.store.chainEnds()
      if (head.seq < newest.seq)
        promises.broken(`it starts on a store that ends at ${head.seq}, and had ${newest.seq}`)
    })
  }
}
