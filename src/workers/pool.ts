/**
 * A fixed number of threads and a bounded queue before them. A thread that dies is replaced; the job that it
 * had is refused, because its bytes went with it.
 */
import type { Transferable, Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { AnswerMessage, JobMessage } from './message.ts'

export interface PoolOptions {
  readonly size: number
  /** Jobs that may wait for a thread; beyond them a job is refused as overload. */
  readonly maxWaiting: number
  readonly start: () => Worker
  /** Told when a thread has died without being asked to. */
  readonly onDeath?: () => void
}

/** A bug inside a thread: what it was and where, without its text. */
export class ThreadBug extends Error {
  override readonly name = 'ThreadBug'

  constructor(kind: string, place: string) {
    super(kind)
    this.stack = `${kind}\n    at ${place}`
  }
}

interface Job {
  readonly message: JobMessage
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
  private readonly restarts = new Set<NodeJS.Timeout>()
  private isClosed = false
  private deathsInARow = 0

  constructor(options: PoolOptions) {
    this.options = options
    for (let i = 0; i < options.size; i++) this.start()
  }

  /** Whether a job given now would be refused as overload. */
  get isFull(): boolean {
    return this.idle.length === 0 && this.waiting.length >= this.options.maxWaiting
  }

  /** Runs a job on the next free thread. What is transferred is the thread's from here on. */
  run<Answer>(job: unknown, transfer: readonly Transferable[] = []): Promise<Answer> {
    return this.isFull ? Promise.reject(new AppError('OVERLOADED')) : this.runInTurn(job, transfer)
  }

  /** Like run, for a caller that gives one job at a time and would rather wait than be refused. */
  runInTurn<Answer>(job: unknown, transfer: readonly Transferable[] = []): Promise<Answer> {
    if (this.isClosed) return Promise.reject(new AppError('DRAINING'))
    return new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ message: { job }, transfer, resolve, reject })
      this.next()
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    for (const timer of this.restarts) clearTimeout(timer)
    for (const job of this.waiting.splice(0)) job.reject(new AppError('DRAINING'))
    await Promise.all([...this.threads].map(({ worker }) => worker.terminate()))
  }

  private next(): void {
    while (this.idle.length > 0 && this.waiting.length > 0) {
      const thread = this.idle.pop() as Thread
      const job = this.waiting.shift() as Job
      thread.job = job
      // A thread at work keeps the process alive, an idle one does not.
      thread.worker.ref()
      thread.worker.postMessage(job.message, job.transfer)
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
      // A pool that is closing waits for its threads to end, and nothing else may keep the process alive until then.
      if (!this.isClosed) worker.unref()
      this.idle.push(thread)
      if (job !== undefined) settle(job, message)
      this.next()
    })
    // The error itself is told to nobody: its text may quote a record. The exit that follows it is enough.
    worker.on('error', () => undefined)
    worker.once('exit', () => this.bury(thread))
    worker.unref()
    this.next()
  }

  private bury(thread: Thread): void {
    this.threads.delete(thread)
    const place = this.idle.indexOf(thread)
    if (place >= 0) this.idle.splice(place, 1)
    thread.job?.reject(new AppError(this.isClosed ? 'DRAINING' : 'WORKER_LOST'))
    if (this.isClosed) return
    this.options.onDeath?.()
    // Threads that die before they have answered anything would otherwise be started in a tight circle.
    const delay = Math.min(RESTART_MS * 2 ** this.deathsInARow, LONGEST_RESTART_MS)
    if (!thread.hasAnswered) this.deathsInARow++
    const timer = setTimeout(() => {
      this.restarts.delete(timer)
      this.start()
    }, delay)
    this.restarts.add(timer)
  }
}

function settle(job: Job, message: AnswerMessage): void {
  if ('answer' in message) job.resolve(message.answer as never)
  else if ('refused' in message) job.reject(new AppError(message.refused))
  else job.reject(new ThreadBug(message.bug.kind, message.bug.place))
}
