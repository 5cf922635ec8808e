/**
 * The line between the first process and each of the others. Either side asks by name and is answered or told that
 * it was not, within a time. Only counts, names of the service's own and callers' addresses cross it, never what a caller has written.
 */
import type { Snapshot } from '../metrics/snapshot.ts'
import type { QuotaGrant } from '../store/store.ts'
import { afterLimit } from '../store/within-limit.ts'

/** All that can be asked. */
export interface Questions {
  /** Of the first process: a portion of a limit. */
  quota(counter: string, limit: number, want: number): QuotaGrant
  /** Of the first process: the figures of all processes together. */
  allFigures(): Snapshot
  /** Of any other process: its own figures. */
  figures(): Snapshot
}
type Name = keyof Questions
type Words<N extends Name> = Parameters<Questions[N]>
type Result<N extends Name> = ReturnType<Questions[N]>

/** What one side answers. A question that it does not know is not answered. */
export type Answers = { readonly [N in Name]?: (...words: Words<N>) => Result<N> | Promise<Result<N>> }

/** An end of the line, as node:cluster has it on both sides. */
export interface End {
  send(message: object, done: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
}

interface Question {
  readonly line: 'question'
  readonly id: number
  readonly name: Name
  readonly words: readonly unknown[]
}

interface Answer {
  readonly line: 'answer'
  readonly id: number
  /** Absent where the question could not be answered; why is the business of the process that could not. */
  readonly result?: unknown
}

export class Line {
  private readonly end: End
  private readonly answers: Answers
  private readonly waiting = new Map<number, (result: unknown) => void>()
  private lastId = 0

  constructor(end: End, answers: Answers) {
    this.end = end
    this.answers = answers
    end.on('message', (message) => {
      if (!isOfLine(message)) return
      if (message.line === 'answer') this.waiting.get(message.id)?.(message.result)
      else void this.answer(message)
    })
  }

  /** Undefined where no answer came in time. */
  ask<N extends Name>(name: N, words: Words<N>, limitMs: number): Promise<Result<N> | undefined> {
    return new Promise((resolve) => {
      const id = ++this.lastId
      const settle = (result: unknown): void => {
        clearTimeout(timer)
        this.waiting.delete(id)
        resolve(result as Result<N> | undefined)
      }
      const timer = afterLimit(limitMs, () => settle(undefined))
      this.waiting.set(id, settle)
      this.end.send({ line: 'question', id, name, words } satisfies Question, (error) => {
        if (error !== null) settle(undefined)
      })
    })
  }

  private async answer({ id, name, words }: Question): Promise<void> {
    const known = Object.hasOwn(this.answers, name) ? this.answers[name] : undefined
    if (known === undefined) return
    let result: unknown
    try {
      result = await (known as (...words: readonly unknown[]) => unknown)(...words)
    } catch {
      result = undefined
    }
    // Who has gone meanwhile needs no answer.
    this.end.send({ line: 'answer', id, result } satisfies Answer, () => undefined)
  }
}

/** Others may speak over the same channel. */
function isOfLine(message: unknown): message is Question | Answer {
  if (typeof message !== 'object' || message === null || !('line' in message)) return false
  return (
    message.line === 'answer' ||
    (message.line === 'question' && 'words' in message && Array.isArray(message.words))
  )
}
