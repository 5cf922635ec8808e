/**
 * Remote calls between the primary process and a worker process, in both directions. A call that gets no answer in time returns
 * undefined. Messages hold counts, names from the configuration and addresses of callers. They never hold what a caller sent.
 */
import type { Snapshot } from '../metrics/snapshot.ts'
import type { QuotaGrant } from '../store/store.ts'
import { afterLimit } from '../store/within-limit.ts'

/** All methods that either side can call. */
export interface Methods {
  /** Of the primary: a portion of a limit. */
  quota(counter: string, limit: number, want: number, windowMs: number): QuotaGrant
  /** Of the primary: the figures of all processes together. */
  allFigures(): Snapshot
  /** Of a worker: its own figures. */
  figures(): Snapshot
}
type Name = keyof Methods
type Args<N extends Name> = Parameters<Methods[N]>
type Result<N extends Name> = ReturnType<Methods[N]>

/** The methods that one side has. It ignores requests for others. */
export type Handlers = { readonly [N in Name]?: (...args: Args<N>) => Result<N> | Promise<Result<N>> }

/** What node:cluster offers on both sides. */
export interface RpcPort {
  send(message: object, done: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
}

type RpcMessage =
  | { readonly rpc: 'request'; readonly id: number; readonly name: Name; readonly args: readonly unknown[] }
  /** Without a result if the handler failed. */
  | { readonly rpc: 'response'; readonly id: number; readonly result?: unknown }

export class WorkerRpc {
  private readonly port: RpcPort
  private readonly handlers: Handlers
  private readonly waiting = new Map<number, (result: unknown) => void>()
  private lastId = 0

  constructor(port: RpcPort, handlers: Handlers) {
    this.port = port
    this.handlers = handlers
    port.on('message', (given) => {
      // Other messages may use the same channel.
      const message = given as Partial<RpcMessage> | null
      if (message?.rpc === 'response') this.waiting.get(message.id ?? 0)?.(message.result)
      else if (message?.rpc === 'request' && Array.isArray(message.args)) void this.handle(message)
    })
  }

  /** Undefined if no response came in time. */
  call<N extends Name>(name: N, args: Args<N>, limitMs: number): Promise<Result<N> | undefined> {
    return new Promise((resolve) => {
      const id = ++this.lastId
      const settle = (result: unknown): void => {
        clearTimeout(timer)
        this.waiting.delete(id)
        resolve(result as Result<N> | undefined)
      }
      const timer = afterLimit(limitMs, () => settle(undefined))
      this.waiting.set(id, settle)
      this.port.send({ rpc: 'request', id, name, args } satisfies RpcMessage, (error) => {
        if (error !== null) settle(undefined)
      })
    })
  }

  private async handle({ id = 0, name, args = [] }: Partial<RpcMessage & { rpc: 'request' }>): Promise<void> {
    const known = name !== undefined && Object.hasOwn(this.handlers, name) ? this.handlers[name] : undefined
    if (known === undefined) return
    let result: unknown
    try {
      result = await (known as (...args: readonly unknown[]) => unknown)(...args)
    } catch {
      result = undefined
    }
    // The caller may have ended meanwhile; then the error is ignored.
    this.port.send({ rpc: 'response', id, result } satisfies RpcMessage, () => undefined)
  }
}
