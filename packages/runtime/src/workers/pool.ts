/**
 * A fixed number of threads with a bounded queue. A thread that dies is replaced; its job is refused, because the bytes of
 * the job are lost with it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Transferable, type Worker, parentPort } from 'node:worker_threads'
import { AppError, CallerLeft, type ErrorCode, appErrorOf, describeBug } from '../errors.ts'

/** An answer, a refusal, or a bug without its text, which may quote a record. */
type AnswerMessage =
  | { readonly answer: unknown }
  | { readonly refused: ErrorCode; readonly detail: string }
  | { readonly bug: { readonly kind: string; readonly place: string } }

/** The answer of a job, and the buffers in it that are transferred instead of copied. */
export interface Answered {
  readonly answer: unknown
  readonly transfer: readonly Transferable[]
}

interface PoolOptions {
  readonly size: number
  /** Jobs that may wait for a thread; further jobs are refused as overload. */
  readonly maxWaiting: number
  readonly start: () => Worker
  /** Called when a thread has died without being asked to. */
  readonly onDeath?: (() => void) | undefined
}

/** A bug in a thread: its kind and place, without its text. */
export class ThreadBug extends Error {
  override readonly name = 'ThreadBug'

  constructor(kind: string, place: string) {
    super(kind)
    this.stack = `${kind}\n    at ${place}`
  }
}

/** What a thread is sent. */
interface JobMessage {
  readonly given: unknown
  /** Shared memory, where somebody may stop waiting: 1 when nobody waits for the answer any more. */
  readonly abandoned?: Int32Array | undefined
}

interface Job extends JobMessage {
  readonly transfer: readonly Transferable[]
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  job: Job | undefined
  hasAnswered: boolean
}

const RESTART_MS = 100
const LONGEST_RESTART_MS = 5_000

export class ThreadPool {
  private readonly options: PoolOptions
  private readonly threads = new Set<Thread>()
  private readonly idle: Thread[] = []
  private readonly waiting: Job[] = []
  private readonly closing = new AbortController()
  private deathsInARow = 0

  constructor(options: PoolOptions) {
    this.options = options
    for (let i = 0; i < options.size; i++) this.start()
  }

  /** Whether a job given now would be refused as overload. */
  get isFull(): boolean {
    return this.idle.length === 0 && this.waiting.length >= this.options.maxWaiting
  }

  get size(): number {
    return this.options.size
  }

  get waitingCount(): number {
    return this.waiting.length
  }

  /**
   * Runs a job on the next free thread. The transferred buffers belong to the thread from here on. When the caller has left, a job that
   * waits is never begun, and a thread that works on it is notified.
   */
  run<Answer>(
    job: unknown,
    transfer: readonly Transferable[] = [],
    callerLeft?: AbortSignal,
  ): Promise<Answer> {
    return this.isFull
      ? Promise.reject(new AppError('OVERLOADED'))
      : this.runInTurn(job, transfer, callerLeft)
  }

  /** Like run, for a caller that waits instead of being refused. */
  runInTurn<Answer>(
    given: unknown,
    transfer: readonly Transferable[] = [],
    callerLeft?: AbortSignal,
  ): Promise<Answer> {
    if (this.closing.signal.aborted) return Promise.reject(new AppError('DRAINING'))
    if (callerLeft === undefined)
      return new Promise<Answer>((resolve, reject) => this.enqueue({ given, transfer, resolve, reject }))
    if (callerLeft.aborted) return Promise.reject(new CallerLeft())
    const abandoned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    let abandon: (() => void) | undefined
    const answer = new Promise<Answer>((resolve, reject) => {
      const job: Job = { given, transfer, resolve, reject, abandoned }
      abandon = () => this.abandon(job)
      callerLeft.addEventListener('abort', abandon)
      this.enqueue(job)
    })
    return answer.finally(() => callerLeft.removeEventListener('abort', abandon as () => void))
  }

  async close(): Promise<void> {
    this.closing.abort()
    for (const job of this.waiting.splice(0)) job.reject(new AppError('DRAINING'))
    await Promise.all([...this.threads].map(({ worker }) => worker.terminate()))
  }

  private enqueue(job: Job): void {
    this.waiting.push(job)
    this.next()
  }

  /** What the thread still sends for it goes nowhere. */
  private abandon(job: Job): void {
    const place = this.waiting.indexOf(job)
    if (place >= 0) this.waiting.splice(place, 1)
    if (job.abandoned !== undefined) Atomics.store(job.abandoned, 0, 1)
    job.reject(new CallerLeft())
  }

  private next(): void {
    while (this.idle.length > 0 && this.waiting.length > 0) {
      const thread = this.idle.pop() as Thread
      const job = this.waiting.shift() as Job
      thread.job = job
      // A thread at work keeps the process alive, an idle one does not.
      thread.worker.ref()
      const message: JobMessage = { given: job.given, abandoned: job.abandoned }
      thread.worker.postMessage(message, job.transfer)
    }
  }

  private start(): void {
    const worker = this.options.start()
    const thread: Thread = { worker, job: undefined, hasAnswered: false }
    this.threads.add(thread)
    this.idle.push(thread)
    worker.on('message', (message: AnswerMessage) => {
      thread.hasAnswered = true
      this.deathsInARow = 0
      const { job } = thread
      thread.job = undefined
      // A closing pool waits for its threads to end; until then they must keep the process alive.
      if (!this.closing.signal.aborted) worker.unref()
      this.idle.push(thread)
      if (job !== undefined) answerJob(job, message)
      this.next()
    })
    // The error is not reported, because its text may quote a record. The exit event that follows is enough.
    worker.on('error', () => undefined)
    worker.once('exit', () => this.replace(thread))
    worker.unref()
    this.next()
  }

  private replace(thread: Thread): void {
    this.threads.delete(thread)
    const place = this.idle.indexOf(thread)
    if (place >= 0) this.idle.splice(place, 1)
    const { signal } = this.closing
    thread.job?.reject(new AppError(signal.aborted ? 'DRAINING' : 'WORKER_LOST'))
    if (signal.aborted) return
    this.options.onDeath?.()
    // Threads that die before their first answer would otherwise be restarted in a tight loop.
    const delay = Math.min(RESTART_MS * 2 ** this.deathsInARow, LONGEST_RESTART_MS)
    if (!thread.hasAnswered) this.deathsInARow++
    // The end of the pool ends this wait.
    void sleep(delay, undefined, { signal }).then(
      () => this.start(),
      () => undefined,
    )
  }
}

function answerJob(job: Job, message: AnswerMessage): void {
  if ('answer' in message) job.resolve(message.answer as never)
  else if ('refused' in message) job.reject(new AppError(message.refused, message.detail))
  else job.reject(new ThreadBug(message.bug.kind, message.bug.place))
}

/** The thread's side of a pool: answers one job after the other. Long work asks from time to time whether it is abandoned, and throws. */
export function serveJobs(
  answer: (job: unknown, isAbandoned: () => boolean) => Answered | Promise<Answered>,
): void {
  const port = parentPort
  if (port === null) throw new Error('serveJobs runs in a thread of a pool')
  port.on('message', ({ given, abandoned }: JobMessage) => {
    const isAbandoned = (): boolean => abandoned !== undefined && Atomics.load(abandoned, 0) === 1
    void (async () => answer(given, isAbandoned))().then(
      (done) => port.postMessage({ answer: done.answer } satisfies AnswerMessage, done.transfer),
      (error: unknown) => port.postMessage(failureOf(error)),
    )
  })
}

function failureOf(error: unknown): AnswerMessage {
  const refusal = appErrorOf(error)
  if (refusal !== undefined) return { refused: refusal.code, detail: refusal.detail }
  return { bug: describeBug(error) }
}

/** The file a thread starts with: next to the calling file, in source and in compiled form. */
export function threadEntry(besideUrl: string, name: string): URL {
  return new URL(`./${name}${besideUrl.endsWith('.ts') ? '.ts' : '.js'}`, besideUrl)
}

/**
 * The environment of a thread: none of the settings and secrets of the process, but the folder of compiled code, which Node does
 * not hand on by itself. Without it each thread would compile the service again, for half a second of processor time.
 */
export function threadEnv(): Readonly<Record<string, string>> {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
