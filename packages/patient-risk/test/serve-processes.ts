/** Starts `patient-risk serve --processes` for a test, as one would by hand, and waits until every process listens. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanRecord } from '../../../test/support/records.ts'
import { SCORE } from '../../../test/support/serve.ts'
import { until } from '../../../test/support/until.ts'

export interface Processes {
  readonly origin: string
  readonly key: string
  readonly dataDir: string
  /** All that was printed so far. */
  text(): string
  /** One patient, over a connection of its own, so that the processes take turns. */
  score(idx: number, key?: string): Promise<Response>
  /** Asks every process for an orderly end, as systemd does; the exit code and the signal of the first. */
  stop(): Promise<readonly unknown[]>
  /** Ends whatever is left, and removes the folder. */
  remove(): void
}

export async function serveProcesses(count: number): Promise<Processes> {
  const dataDir = mkdtempSync(join(tmpdir(), 'processes-'))
  const args = ['bin/patient-risk.js', 'serve', '--port', '0', '--processes', String(count)]
  const child = spawn(process.execPath, args, {
    // Threads would only compile the models once more.
    env: { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'info', WORKERS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that all of it can be sent a signal.
    detached: true,
  })
  let text = ''
  child.stdout.on('data', (part: Buffer) => (text += String(part)))
  const remove = (): void => {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
  const isUp = (): boolean => text.includes('curl') && text.match(/"event":"listening"/g)?.length === count
  try {
    await until(isUp, { timeoutMs: 120_000, what: 'every process to listen' })
  } catch (error) {
    remove()
    throw new Error(text, { cause: error })
  }
  const [, origin = '', first = ''] =
    /curl (http:\/\/[^/]+)\S* -H 'Authorization: Bearer (\S+)'/.exec(text) ?? []
  return {
    origin,
    key: first,
    dataDir,
    text: () => text,
    score: (idx, key = first) =>
      fetch(origin + SCORE, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify([cleanRecord(idx)]),
      }),
    async stop() {
      const ended = once(child, 'exit')
      process.kill(-(child.pid as number), 'SIGTERM')
      return ended
    },
    remove,
  }
}
