/** The end of several processes: none is started once the stop has begun, and one that ignores it is killed. */
import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, afterEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runProcesses } from '@patient-risk/server'
import { createLog } from '@patient-risk/server/log'

const SCRIPTED_PROCESS = fileURLToPath(new URL('scripted-process.ts', import.meta.url))
const LONG_MS = 600_000
const RESTART_MS = 20

// A failed test must not leave processes that keep this one running.
afterEach(() => {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
})

interface Started {
  readonly workers: readonly Worker[]
  readonly code: Promise<number>
  stop(): void
  /** Names of what was logged. */
  events(): readonly string[]
  /** Called with every event as it is logged. */
  onEvent: (name: string) => void
}

/** Runs processes under this one, and waits until all of them listen. */
async function start(
  manner: 'plain' | 'slow' | 'stubborn',
  count: number,
  killAfterMs: number,
): Promise<Started> {
  cluster.setupPrimary({ exec: SCRIPTED_PROCESS, args: [manner], execArgv: [] })
  const workers: Worker[] = []
  const names: string[] = []
  const { promise: stop, resolve } = Promise.withResolvers<undefined>()
  const note = (line: string): void => {
    const { event } = JSON.parse(line) as { readonly event: string }
    names.push(event)
    started.onEvent(event)
  }
  cluster.on('fork', (worker) => workers.push(worker))
  const code = runProcesses({
    count,
    log: createLog('info', { write: note }),
    stop,
    killAfterMs,
    restartMs: RESTART_MS,
    onListening: () => undefined,
  })
  const started: Started = {
    workers,
    code,
    stop: () => resolve(undefined),
    events: () => names,
    onEvent: () => undefined,
  }
  while (workers.length < count) await once(cluster, 'fork')
  await Promise.all(workers.map((worker) => once(worker, 'listening')))
  return started
}

/** Timers of this process that run when the test says so, also those that were imported from node:timers/promises. */
function movableTimers(context: TestContext): TestContext['mock']['timers'] {
  const { timers } = context.mock
  timers.enable({ apis: ['setTimeout'] })
  syncBuiltinESMExports()
  context.after(() => {
    timers.reset()
    syncBuiltinESMExports()
  })
  return timers
}

test('a process that died just before the stop is not replaced', async (context) => {
  const started = await start('plain', 2, LONG_MS)
  const timers = movableTimers(context)
  // At once, so that the stop comes while the death is fresh, however busy the machine is.
  started.onEvent = (event) => event === 'process-died' && started.stop()
  started.workers[0]?.process.kill('SIGKILL')
  assert.equal(await started.code, 0)
  timers.tick(10 * RESTART_MS)
  await new Promise(setImmediate)
  assert.equal(started.workers.length, 2)
  assert.deepEqual(started.events(), ['process-died'])
})

test('a process that dies while all is well is replaced, and its successor stops too', async () => {
  const started = await start('plain', 2, LONG_MS)
  started.workers[0]?.process.kill('SIGKILL')
  const [successor] = (await once(cluster, 'fork')) as [Worker]
  await once(successor, 'listening')
  started.stop()
  assert.equal(await started.code, 0)
  assert.deepEqual(
    started.workers.map((worker) => worker.isDead()),
    [true, true, true],
  )
})

test('a process that is asked twice, as systemd does it, still ends in good order', async () => {
  const started = await start('slow', 1, LONG_MS)
  const [worker] = started.workers as [Worker]
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await once(worker, 'message')
  started.stop()
  // The second signal goes out first.
  await new Promise(setImmediate)
  worker.send('end')
  assert.deepEqual(await ended, [0, null])
  assert.equal(await started.code, 0)
})

test('a process that ignores the stop is killed, and the exit code shows it', async () => {
  const started = await start('stubborn', 2, RESTART_MS)
  started.stop()
  assert.equal(await started.code, 1)
  assert.deepEqual(started.events(), ['process-killed', 'process-killed'])
  assert.deepEqual(
    started.workers.map((worker) => worker.isDead()),
    [true, true],
  )
})
