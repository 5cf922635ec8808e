/** Processes of the service on a simulated machine: real stores on real files, which the seed kills, stops and damages. */
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ThreadData, sqliteThread } from '../../src/store/sqlite/sqlite-thread.ts'
import { Rpc } from '@patient-risk/runtime'
import { ANCHORS, AnchorWrites, type CrashKind, type Image, STORE, cut, imageOf, writeImage } from './disk.ts'
import { type End, type Owner, type World, isOf } from './world.ts'

/** What SQLite says of `synchronous=FULL`. */
const FULL = 2
const MOST_PAGES = 1_073_741_823
/** Methods of node:sqlite before they are replaced. */
export const usual = {
  exec: Reflect.get(DatabaseSync.prototype, 'exec'),
  prepare: Reflect.get(DatabaseSync.prototype, 'prepare'),
  close: Reflect.get(DatabaseSync.prototype, 'close'),
}
const WRITES = /^\s*(INSERT|UPDATE|DELETE|COMMIT|BEGIN)/
const COMMITS = /^\s*COMMIT/

export class Machine {
  readonly world: World
  /** The data folder; another one after every crash. */
  folder: string
  readonly databases: { readonly owner: Owner; readonly database: DatabaseSync }[] = []
  isFull = false
  /** Statements until one fails, and whether that one is carried out nevertheless. */
  failure: { in: number; readonly isDone: boolean } | undefined
  /** Transactions until one is stopped for some time: before its commit, or inside of it. */
  stall: { in: number; readonly ms: number; readonly isInCommit: boolean } | undefined
  /** How long the next commit takes. */
  private commitMs = 0
  private holder: { readonly database: DatabaseSync; readonly until: number } | undefined
  private generation = 0
  private readonly root: string
  private readonly anchors = new AnchorWrites()
  private readonly checkpointPages: number
  private crashIn: { events: number; readonly kind: CrashKind } | undefined
  private before: Image | undefined
  /** Files as the disk surely has them, where commits do not wait for it. */
  private durable: Image | undefined
  /** Commits in the present event, and files that were closed: that may be a checkpoint, after which the log is a new file. */
  commits = 0
  private readonly unasked: DatabaseSync[] = []
  private isLax = false
  onCrash: () => void = () => undefined

  constructor(world: World, root: string, first: Image) {
    this.world = world
    this.root = root
    this.folder = join(root, '0')
    this.checkpointPages = world.pick([4, 12, 40, 1_000])
    writeImage(this.folder, first)
    world.onWait = () => {
      if (this.holder !== undefined && world.steadyMs >= this.holder.until) this.releaseLock()
    }
    world.beforeEvent = () => {
      if (this.holder !== undefined && world.steadyMs >= this.holder.until) this.releaseLock()
      this.commits = 0
      if (this.crashIn !== undefined && --this.crashIn.events <= 0) this.before = imageOf(this.folder)
    }
    world.afterEvent = () => {
      this.noteDurable()
      if (this.before !== undefined) this.crashNow(this.before)
    }
  }

  get isCrashing(): boolean {
    return this.crashIn !== undefined
  }

  get path(): string {
    return join(this.folder, STORE)
  }

  /** The first statement on a connection shows that it was opened. */
  opened(database: DatabaseSync): void {
    if (this.databases.some((each) => each.database === database)) return
    // SQLite's own wait for a lock would take real time.
    usual.exec.call(database, 'PRAGMA busy_timeout = 0')
    this.databases.push({ owner: this.world.current, database })
    this.unasked.push(database)
    usual.exec.call(database, `PRAGMA wal_autocheckpoint = ${this.checkpointPages}`)
    if (this.isFull) limitPages(database)
  }

  /** A full disk: no file grows any more. */
  fill(isFull: boolean): void {
    this.isFull = isFull
    for (const { database } of this.databases) {
      if (!database.isOpen) continue
      if (isFull) limitPages(database)
      else usual.exec.call(database, `PRAGMA max_page_count = ${MOST_PAGES}`)
    }
  }

  /** Another program holds the write lock for some time. */
  holdLock(ms: number): void {
    if (this.holder !== undefined || !fs.existsSync(this.path)) return
    const database = new DatabaseSync(this.path, { timeout: 0 })
    try {
      usual.exec.call(database, 'BEGIN IMMEDIATE')
    } catch {
      // A slow thread has it.
      database.close()
      return
    }
    this.holder = { database, until: this.world.steadyMs + ms }
    this.world.disturb(ms)
  }

  releaseLock(): void {
    this.holder?.database.close()
    this.holder = undefined
  }

  /** Called at the end of the work of each transaction. Its thread may be stopped here, while everything else goes on. */
  async beforeCommit(): Promise<void> {
    const { stall, world } = this
    if (stall === undefined || --stall.in > 0) return
    this.stall = undefined
    world.disturb(stall.ms + 1_000)
    if (stall.isInCommit) this.commitMs = stall.ms
    else await new Promise<void>((resolve) => world.schedule(resolve, stall.ms))
  }

  around<T>(text: string, database: DatabaseSync, act: () => T): T {
    if (!WRITES.test(text)) return act()
    if (COMMITS.test(text)) {
      // Nothing else happens on the machine meanwhile.
      this.world.steadyMs += this.commitMs
      this.commitMs = 0
    }
    const run = (): T => {
      const result = act()
      if (!database.isTransaction) this.commits++
      return result
    }
    if (this.failure === undefined || --this.failure.in > 0) return run()
    const { isDone } = this.failure
    this.failure = undefined
    this.world.disturb(1_000)
    if (isDone) run()
    throw Object.assign(new Error('disk I/O error'), { errcode: 10, errstr: 'disk I/O error' })
  }

  /** After so many events, in the middle of one. */
  crashSoon(events: number, kind: CrashKind): void {
    this.crashIn ??= { events, kind }
  }

  /** Ends one process while others go on. What it has written stays. */
  endProcess(process: Owner): void {
    this.world.kill(process)
    forgetThreads(process)
    this.closeDatabases((owner) => isOf(owner, process))
  }

  /** The state of the files at another time takes their place, in a folder of its own. No process is running. */
  replaceFiles(image: Image): void {
    forgetThreads()
    this.closeDatabases(() => true)
    this.folder = join(this.root, String(++this.generation))
    writeImage(this.folder, image)
  }

  noteAnchors(bytes: Buffer): void {
    this.anchors.note(this.world.steadyMs, bytes)
  }

  closeAll(): void {
    this.closeDatabases(() => true)
  }

  private closeDatabases(isMeant: (owner: Owner) => boolean): void {
    this.releaseLock()
    for (const each of [...this.databases]) {
      if (!isMeant(each.owner)) continue
      this.databases.splice(this.databases.indexOf(each), 1)
      if (each.database.isOpen) each.database.close()
    }
  }

  private crashNow(before: Image): void {
    const kind = this.crashIn?.kind ?? 'kill'
    this.before = this.crashIn = undefined
    const now = imageOf(this.folder)
    const durable = kind === 'power cut' ? (this.durable ?? before) : before
    // Where one commit came after another, only the order of whole commits is sure.
    const left = this.commits > 1 ? this.world.pick([before, now]) : cut(durable, now, kind, this.world)
    const anchors = kind === 'kill' ? now[ANCHORS] : this.anchors.afterPowerCut(now[ANCHORS], this.world)
    this.onCrash()
    this.replaceFiles({ ...left, [ANCHORS]: anchors })
    this.durable = undefined
  }

  /** Asks SQLite itself whether commits wait for the disk. Where they do not, only a checkpoint makes the files durable. */
  private noteDurable(): void {
    for (const database of this.unasked.splice(0)) {
      if (!database.isOpen) continue
      const level = usual.prepare.call(database, 'PRAGMA synchronous').get()
      this.isLax ||= Number(level?.['synchronous']) < FULL
    }
    if (!this.isLax) return
    const now = imageOf(this.folder)
    if (this.durable === undefined || !now[STORE]?.equals(this.durable[STORE] ?? Buffer.alloc(0)))
      this.durable = now
  }
}

function limitPages(database: DatabaseSync): void {
  const pages = usual.prepare.call(database, 'PRAGMA page_count').get()?.['page_count']
  usual.exec.call(database, `PRAGMA max_page_count = ${Math.max(1, Number(pages))}`)
}

let machine: Machine | undefined

export const theMachine = (): Machine | undefined => machine

/** Changes the text of statements, for planted defects. */
let changeSql: (text: string) => string = (text) => text

export const changedSql = (text: string): string => changeSql(text)

export function useMachine(
  next: Machine | undefined,
  change: (text: string) => string = (text) => text,
): void {
  machine = next
  changeSql = change
}

/** The thread of a store, on the same thread as everything else. */
export class SimulatedWorker {
  readonly owner: Owner
  private readonly outer: End
  private readonly world: World
  private readonly parent: Owner
  private readonly onExit: (() => void)[] = []
  private static count = 0

  constructor(_entry: URL, { workerData }: { readonly workerData: ThreadData }) {
    this.world = machine?.world as World
    this.parent = this.world.current
    this.owner = `${this.parent}/thread${++SimulatedWorker.count}`
    const [outer, inner] = this.world.channel(this.parent, this.owner)
    this.outer = outer
    const data = structuredClone(workerData)
    new Rpc(inner, 'the caller', { run: sqliteThread(data) }, { memory: data.claims })
    living.add(this)
  }

  postMessage(message: object): void {
    this.outer.send(message)
  }

  on(event: string, listener: (...args: never[]) => void): this {
    if (event === 'message') this.outer.on(event, listener as (message: unknown) => void)
    if (event === 'exit') this.onExit.push(listener)
    return this
  }

  unref(): this {
    return this
  }

  terminate(): Promise<number> {
    living.delete(this)
    machine?.endProcess(this.owner)
    return Promise.resolve(0)
  }

  /** As by a lack of memory. */
  die(): void {
    void this.terminate()
    this.world.disturb(1_000)
    for (const listener of this.onExit) this.world.schedule(listener, 0, this.parent)
  }
}

const living = new Set<SimulatedWorker>()

export function killThread(world: World): void {
  const all = [...living]
  if (all.length > 0) world.pick(all).die()
}

/** Those of a process that has ended, or all. */
export function forgetThreads(process?: Owner): void {
  for (const each of living) if (process === undefined || isOf(each.owner, process)) living.delete(each)
}
