/**
 * Remote calls over a channel of messages, in both directions: to the thread of the embedded store, and between processes that share a
 * port. A call that gets no answer in time fails with a StoreError. Over memory that both sides share, such a call has surely committed
 * nothing; see `CommitClaims`.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import { StoreError } from '../errors.ts'

/** What node:cluster offers on both sides; a message port becomes one by `portOf`. */
export interface RpcPort {
  send(message: object, done: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
}

type Method = (...args: never[]) => unknown
type Result<Of> = Of extends (...args: never[]) => infer R ? Awaited<R> : never

interface RpcRequest {
  readonly rpc: 'request'
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
  /** Milliseconds since 1970 after which the caller has given up, so the call must not be carried out. */
  readonly deadline: number
  /** Where the two sides share memory. */
  readonly claim?: Claim | undefined
}
interface RpcResponse {
  readonly rpc: 'response'
  readonly id: number
  readonly result?: unknown
  readonly failure?: string
}

interface Pending {
  readonly id: number
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
  readonly claim: Claim | undefined
  timer: NodeJS.Timeout
}

/** How long a call may take, as its handler sees it. */
export interface CallLimit {
  /** Until the caller gives up. */
  leftMs(): number
  /** Ask right before a commit. False: the caller has given up, or does so at this moment, and the work must be rolled back. */
  mayCommit(): boolean
}

/** For work without a caller that waits. */
export const NO_LIMIT: CallLimit = { leftMs: () => Infinity, mayCommit: () => true }

/**
 * How much longer than its limit a caller waits for a commit that has begun. A durable commit takes milliseconds; a disk that is stuck for
 * longer than this leaves the caller without a verdict.
 */
const VERDICT_MS = 1_000

/** What the side of the callers and the side of the handlers share. */
export interface RpcShared {
  readonly claims?: CommitClaims | undefined
  readonly memory?: SharedArrayBuffer | undefined
}

/** `M` are the methods of the other side. */
export class Rpc<M extends Readonly<Record<keyof M, Method>>> {
  private readonly port: RpcPort
  private readonly peer: string
  private readonly handlers: Readonly<Record<string, Method>>
  /** In the order in which they are answered. A Map that changes all the time would keep what it held from the collector. */
  private readonly pending: Pending[] = []
  private lastId = 0
  private readonly shared: RpcShared

  /** `peer` names the other side in errors. Handlers get a CallLimit as their last argument; requests without a handler are ignored. */
  constructor(
    port: RpcPort,
    peer: string,
    handlers: Readonly<Record<string, Method>> = {},
    shared: RpcShared = {},
  ) {
    this.port = port
    this.peer = peer
    this.handlers = handlers
    this.shared = shared
    port.on('message', (given) => {
      // Other messages may use the same channel.
      const message = given as RpcRequest | RpcResponse | null
      if (message?.rpc === 'response') this.complete(message)
      else if (message?.rpc === 'request') void this.handle(message)
    })
  }

  call<N extends keyof M & string>(name: N, args: Parameters<M[N]>, limitMs: number): Promise<Result<M[N]>> {
    return new Promise((resolve, reject) => {
      this.lastId++
      const id = this.lastId
      const claim = this.shared.claims?.open()
      if (this.shared.claims !== undefined && claim === undefined) {
        reject(new StoreError(`too many calls wait for ${this.peer}`))
        return
      }
      const fail = (failure: string): void => this.complete({ rpc: 'response', id, failure })
      const timer = afterLimit(limitMs, () => this.giveUp(id))
      this.pending.push({ id, resolve, reject, claim, timer })
      const request: RpcRequest = { rpc: 'request', id, name, args, deadline: Date.now() + limitMs, claim }
      this.port.send(request, (error) => {
        if (error !== null) fail(`${this.peer} has ended`)
      })
    })
  }

  /** The other side has ended: no call gets an answer any more. */
  end(): void {
    for (const { id } of [...this.pending]) {
      this.complete({ rpc: 'response', id, failure: `${this.peer} has ended` })
    }
  }

  /** The limit of a call is over. What is being committed cannot be taken back, so its caller waits for the answer. */
  private giveUp(id: number): void {
    const call = this.pending.find((each) => each.id === id)
    if (call === undefined) return
    const fail = (failure: string): void => this.complete({ rpc: 'response', id, failure })
    if (call.claim === undefined || this.shared.claims?.withdraw(call.claim) !== false)
      fail(`${this.peer} did not answer in time`)
    else call.timer = afterLimit(VERDICT_MS, () => fail(`${this.peer} did not end a commit in time`))
  }

  private complete({ id, result, failure }: RpcResponse): void {
    const place = this.pending.findIndex((each) => each.id === id)
    const call = this.pending[place]
    // The call may have failed already because it took too long.
    if (call === undefined) return
    this.pending.splice(place, 1)
    clearTimeout(call.timer)
    if (call.claim !== undefined) this.shared.claims?.close(call.claim)
    if (failure === undefined) call.resolve(result as never)
    else call.reject(new StoreError(failure))
  }

  private async handle({ id, name, args, deadline, claim }: RpcRequest): Promise<void> {
    if (!Object.hasOwn(this.handlers, name)) return
    const { memory } = this.shared
    const leftMs = (): number => deadline - Date.now()
    const limit: CallLimit = {
      leftMs,
      // The clock too: a caller whose event loop stands still has not given up yet, and would at once.
      mayCommit: () =>
        leftMs() > 0 && (memory === undefined || claim === undefined || claimCommit(memory, claim)),
    }
    if (leftMs() <= 0) return
    let response: RpcResponse
    try {
      response = {
        rpc: 'response',
        id,
        result: await this.handlers[name]?.(...([...args, limit] as never[])),
      }
    } catch (error) {
      response = { rpc: 'response', id, failure: (error as Error).message }
    }
    // The caller may have ended meanwhile; then the error is ignored.
    this.port.send(response, () => undefined)
  }
}

/** One turn of the event loop reads the answers that have arrived, a second one handles what they trigger. */
const TURNS = 2

/** Runs `act` after the limit, but first lets the event loop deliver responses that have already arrived. */
function afterLimit(limitMs: number, act: () => void): NodeJS.Timeout {
  const look = (turns: number): void => {
    if (turns === 0) act()
    else setImmediate(look, turns - 1)
  }
  return setTimeout(look, limitMs, TURNS)
}

/** The result of the work, or a StoreError with this message if the work takes too long. */
export function withinLimit<T>(work: Promise<T>, limitMs: number, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = afterLimit(limitMs, () => reject(new StoreError(message)))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Calls that may wait for a thread at a time. Beyond it they are refused. */
const MOST_CALLS = 4_096
const HIGHEST_MARK = 2 ** 31 - 1
const WITHDRAWN = 0

/** Where the two meet. The mark tells this call from others that have used the cell; the negative mark says that it is committing. */
export interface Claim {
  readonly cell: number
  readonly mark: number
}

/**
 * Decides between two threads: the caller of a call that gives up, and the thread that is about to commit its work. Exactly one of them
 * wins, because both change the same cell of shared memory in one atomic step. So a caller that gave up knows that nothing was committed.
 * This is the side of the callers.
 */
export class CommitClaims {
  readonly memory = new SharedArrayBuffer(MOST_CALLS * Int32Array.BYTES_PER_ELEMENT)
  private readonly cells = new Int32Array(this.memory)
  private readonly free = Array.from({ length: MOST_CALLS }, (_each, cell) => cell)
  private lastMark = 0

  /** Undefined where too many calls are waiting. */
  open(): Claim | undefined {
    const cell = this.free.pop()
    if (cell === undefined) return undefined
    this.lastMark = (this.lastMark % HIGHEST_MARK) + 1
    Atomics.store(this.cells, cell, this.lastMark)
    return { cell, mark: this.lastMark }
  }

  /** Gives a call up. False where the thread is committing it, or has: then only its answer tells. */
  withdraw({ cell, mark }: Claim): boolean {
    return Atomics.compareExchange(this.cells, cell, mark, WITHDRAWN) !== -mark
  }

  /** The call is over for its caller. A thread that still works on it finds the cell empty, or another mark. */
  close({ cell }: Claim): void {
    Atomics.store(this.cells, cell, WITHDRAWN)
    this.free.push(cell)
  }
}

/** The side of the thread, called right before a commit: whether it may commit. From then on the caller waits for the answer. */
export function claimCommit(memory: SharedArrayBuffer, { cell, mark }: Claim): boolean {
  const found = Atomics.compareExchange(new Int32Array(memory), cell, mark, -mark)
  // A call with several transactions has claimed the cell before.
  return found === mark || found === -mark
}

/** A thread, as its parent sees it or as it sees its parent. */
export function portOf(thread: Worker | MessagePort): RpcPort {
  return {
    send: (message) => thread.postMessage(message),
    on: (event, listener) => thread.on(event, listener),
  }
}
