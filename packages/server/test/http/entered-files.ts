/** Which files of src run while something is done, in this thread and in the threads that it has started. By V8's own count of calls. */
import { Session } from 'node:inspector'

type Post = (method: string, params?: object) => Promise<unknown>

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

export async function filesEnteredBy(work: () => void | Promise<void>): Promise<ReadonlySet<string>> {
  // An answer of the inspector does not keep the process alive.
  const alive = setInterval(() => undefined, 1_000)
  const session = new Session()
  session.connect()
  const here: Post = (method, params = {}) =>
    new Promise((resolve, reject) => {
      session.post(method, params, (error, result) => (error === null ? resolve(result) : reject(error)))
    })
  const threads = await attach(session, here)
  const all = [here, ...threads]
  for (const post of all) {
    await post('Profiler.enable')
    await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    // What was counted before does not matter.
    await post('Profiler.takePreciseCoverage')
  }
  await work()
  const entered = new Set<string>()
  for (const post of all) {
    const { result } = (await post('Profiler.takePreciseCoverage')) as Coverage
    for (const { url, functions } of result) {
      const file = /\/(packages\/[^/]+\/src\/.*\.ts)$/.exec(url)?.[1]
      if (file !== undefined && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)) entered.add(file)
    }
    await post('Profiler.stopPreciseCoverage')
  }
  session.disconnect()
  clearInterval(alive)
  return entered
}

/** A way to speak to each thread of this process. */
async function attach(session: Session, here: Post): Promise<readonly Post[]> {
  const pending = new Map<number, (result: unknown) => void>()
  const threads: Post[] = []
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    threads.push((method, params = {}) => {
      const id = pending.size + 1
      const message = JSON.stringify({ id, method, params })
      const { promise, resolve } = Promise.withResolvers<unknown>()
      pending.set(id, resolve)
      return here('NodeWorker.sendMessageToWorker', { sessionId, message }).then(() => promise)
    })
  })
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message) as { readonly id: number; readonly result: unknown }
    pending.get(id)?.(result)
  })
  await here('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return threads
}
