/** Several processes behind one port: one first key, answers from all of them, and an orderly end. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanRecord } from '../records.ts'
import { SCORE } from '../serve.ts'

test('two processes make one key, share one port, and both stop when asked', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'processes-'))
  const child = spawn(process.execPath, ['bin/patient-risk.js', 'serve', '--port', '0', '--processes', '2'], {
    env: { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let text = ''
    child.stdout.on('data', (part: Buffer) => (text += String(part)))
    const until = async (isThere: () => boolean): Promise<void> => {
      for (let i = 0; i < 2_400 && !isThere(); i++) await new Promise((resolve) => setTimeout(resolve, 50))
      assert.ok(isThere(), text)
    }
    await until(() => text.includes('curl') && text.match(/"event":"listening"/g)?.length === 2)
    assert.equal(text.match(/^ {2}prk_/gm)?.length, 1)
    const [, origin = '', key = ''] =
      /curl (http:\/\/[^/]+)\S* -H 'Authorization: Bearer (\S+)'/.exec(text) ?? []
    for (let i = 0; i < 6; i++) {
      const answer = await fetch(origin + SCORE, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify([cleanRecord(i)]),
      })
      assert.equal(answer.status, 200)
    }
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
    assert.equal(text.match(/"event":"stopped"/g)?.length, 2)
  } finally {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
})
