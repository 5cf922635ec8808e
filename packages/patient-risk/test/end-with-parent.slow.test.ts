/** A service that npm started stops when npm is stopped or killed, although a shell stands between them. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`the service ends when the shell that started it gets ${signal}`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-parent-'))
    // As npm does it: a shell that waits for its command, and passes no signal on.
    const shell = spawn(
      'sh',
      ['-c', '"$0" bin/patient-risk.js serve & echo "pid $!"; wait; :', process.execPath],
      {
        env: { ...process.env, npm_command: 'run-script', PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'info' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let printed = ''
    shell.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await until(() => /pid \d+/.test(printed) && printed.includes('"event":"listening"'), {
      what: 'the service to listen',
    })
    const service = Number(/pid (\d+)/.exec(printed)?.[1])
    try {
      shell.kill(signal)
      await until(() => !isAlive(service), { what: 'the service to end' })
    } finally {
      if (isAlive(service)) process.kill(service, 'SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
}
