/**
 * A simulated machine: its clock, the order of everything that happens on it, and its messages. One seed decides all of it. Timers, the
 * clock and the channel to the thread of the store are replaced for the code of `src`; everything else of it runs as it is.
 *
 * One event runs at a time, and what it starts runs to its end before the next. So nothing depends on the speed of the real machine.
 */
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { randomFrom } from '../torture/part.ts'

/** Who an event belongs to: `one` for a process, `one/thread3` for one of its threads. A killed owner has no events any more. */
export type Owner = string

interface Event {
  readonly at: number
  readonly order: number
  readonly owner: Owner
  readonly run: () => void
}

const real = { setImmediate, setTimeout, setInterval, setImmediatePromise: timersPromises.setImmediate }
const START = Date.parse('2026-03-15T12:00:00Z')
/** A slow message takes up to this time: longer than any caller waits, now and then. */
const SLOW_MS = 1_500

export class World {
  readonly seed: number
  readonly random: () => number
  /** Milliseconds since the machine was started; never set back. */
  steadyMs = 1_000
  /** What the clock on the wall shows beyond that. */
  wallOffsetMs = START
  current: Owner = 'driver'
  /** The share of messages that are slow. */
  slowShare: number
  /** Until then the store may be unavailable, because of something that the seed has done. */
  disturbedUntil = 0
  /** Called before and after each event, for crashes in the middle of one. */
  beforeEvent: () => void = () => undefined
  afterEvent: () => void = () => undefined
  /** Called when a thread waits for a lock, after the time has passed. */
  onWait: () => void = () => undefined
  private readonly events: Event[] = []
  private lastOrder = 0
  private readonly dead = new Set<Owner>()
  /** Work outside of the simulation that an event waits for, such as that of a real server. */
  private outside: Promise<unknown> = Promise.resolve()
  private isOutside = false

  constructor(seed: number) {
    this.seed = seed
    this.random = randomFrom(seed)
    this.slowShare = this.pick([0, 0, 0.02, 0.1])
  }

  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1))
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T
  }

  wall(): number {
    return Math.floor(this.steadyMs) + this.wallOffsetMs
  }

  disturb(ms: number): void {
    this.disturbedUntil = Math.max(this.disturbedUntil, this.steadyMs + ms)
  }

  schedule(run: () => void, delayMs = 0, owner = this.current): Event {
    const event = { at: this.steadyMs + delayMs, order: ++this.lastOrder, owner, run }
    if (this.isAlive(owner)) this.events.push(event)
    return event
  }

  cancel(event: unknown): void {
    const place = this.events.indexOf(event as Event)
    if (place >= 0) this.events.splice(place, 1)
  }

  /** A turn of the event loop: other events may come first. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve, this.random() * 0.5))
  }

  isAlive(owner: Owner): boolean {
    return !this.dead.has(owner) && !this.dead.has(owner.split('/')[0] ?? '')
  }

  /** Nothing of this owner happens any more. Names are not used again. */
  kill(owner: Owner): void {
    this.dead.add(owner)
    for (const event of [...this.events]) {
      if (isOf(event.owner, owner)) this.cancel(event)
    }
  }

  /** Starts work of an owner. What it waits for is done by `advance`. */
  as(owner: Owner, work: () => void): void {
    this.schedule(work, 0, owner)
  }

  /** Real work that belongs to the present event: nothing else happens meanwhile, and no time passes. */
  during(work: () => Promise<unknown>): void {
    this.isOutside = true
    this.outside = this.outside.then(work)
  }

  private async settle(): Promise<void> {
    await drain()
    while (this.isOutside) {
      this.isOutside = false
      await this.outside
      await drain()
    }
  }

  /** Runs what happens in the next milliseconds, or until something is so. */
  async advance(ms: number, isDone: () => boolean = () => false): Promise<void> {
    const until = this.steadyMs + ms
    await drain()
    while (!isDone()) {
      const next = this.next()
      if (next === undefined || next.at > until) break
      this.cancel(next)
      this.steadyMs = Math.max(this.steadyMs, next.at)
      this.beforeEvent()
      this.current = next.owner
      next.run()
      await this.settle()
      this.current = 'driver'
      this.afterEvent()
    }
    if (!isDone()) this.steadyMs = Math.max(this.steadyMs, until)
  }

  private next(): Event | undefined {
    let first: Event | undefined
    for (const event of this.events) {
      if (first === undefined || event.at < first.at || (event.at === first.at && event.order < first.order))
        first = event
    }
    return first
  }

  /** Two ends of a channel. Messages of one direction keep their order. */
  channel(one: Owner, other: Owner): readonly [End, End] {
    const ends: readonly [End, End] = [new End(), new End()]
    ends[0].send = this.sender(ends[1], other)
    ends[1].send = this.sender(ends[0], one)
    return ends
  }

  private sender(to: End, owner: Owner): End['send'] {
    let last = 0
    return (message) => {
      const isSlow = this.chance(this.slowShare)
      const delayMs = this.random() * (isSlow ? SLOW_MS : 2)
      last = Math.max(last, this.steadyMs + delayMs)
      if (isSlow) this.disturb(delayMs)
      this.schedule(() => to.receive(message), last - this.steadyMs, owner)
    }
  }
}

export const isOf = (owner: Owner, process: Owner): boolean =>
  owner === process || owner.startsWith(`${process}/`)

/** One end of a channel, as `Rpc` uses it. */
export class End {
  send: (message: object) => void = () => undefined
  private readonly listeners: ((message: unknown) => void)[] = []

  on(_event: 'message', listener: (message: unknown) => void): this {
    this.listeners.push(listener)
    return this
  }

  once(): this {
    return this
  }

  receive(message: unknown): void {
    for (const listener of this.listeners) listener(message)
  }
}

/** Everything that an event has started without waiting for time. */
function drain(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve))
}

let world: World | undefined

export const theWorld = (): World | undefined => world

/** Puts the code of this thread on a simulated machine; undefined takes it back. */
export function enter(next: World | undefined): void {
  world = next
}

class SimulatedTimer {
  event: unknown
  unref(): this {
    return this
  }
  ref(): this {
    return this
  }
}

/** Once for a thread. Where no world is entered, everything is as usual. */
export function replaceClockAndTimers(): void {
  const now = { date: Date.now, steady: performance.now.bind(performance) }
  Date.now = () => world?.wall() ?? now.date()
  Object.defineProperty(performance, 'now', { value: () => world?.steadyMs ?? now.steady() })
  const after =
    (usual: (...args: never[]) => unknown, isRepeated: boolean) =>
    (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown => {
      const here = world
      if (here === undefined) return Reflect.apply(usual, globalThis, [act, ms, ...args])
      const timer = new SimulatedTimer()
      const owner = here.current
      const set = (): void => {
        const fire = (): void => {
          if (isRepeated) set()
          act(...args)
        }
        // A timer is late, never early.
        timer.event = here.schedule(fire, ms + here.random(), owner)
      }
      set()
      return timer
    }
  const clear = (usual: (timer: never) => void) => (timer: unknown) => {
    if (timer instanceof SimulatedTimer) world?.cancel(timer.event)
    else usual(timer as never)
  }
  Object.assign(globalThis, {
    setTimeout: after(real.setTimeout, false),
    setInterval: after(real.setInterval, true),
    clearTimeout: clear(clearTimeout),
    clearInterval: clear(clearInterval),
    setImmediate: (act: (...args: unknown[]) => void, ...args: unknown[]): unknown =>
      world === undefined ? real.setImmediate(act, ...args) : world.schedule(() => act(...args)),
  })
  const sleep = timersPromises.setTimeout
  Object.assign(timersPromises, {
    setImmediate: () => world?.turn() ?? real.setImmediatePromise(),
    setTimeout: (ms: number, ...rest: []) => {
      const here = world
      if (here === undefined) return sleep(ms, ...rest)
      return new Promise<void>((resolve) => here.schedule(resolve, ms))
    },
  })
  const wait = Atomics.wait.bind(Atomics)
  Object.assign(Atomics, {
    wait: (...args: [Int32Array, number, number, number]) => {
      if (world === undefined) return wait(...args)
      world.steadyMs += args[3]
      world.onWait()
      return 'timed-out'
    },
  })
  syncBuiltinESMExports()
}
