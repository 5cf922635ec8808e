/** The package works when it is installed elsewhere: packed, installed into an empty folder, and serving from it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { endGroups, firstStart, spawnGroup } from './support/own-group.ts'

test('the packed package, installed into an empty folder, serves and answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'))
  // Without the checkout's own Node in front: what a user's shell would find.
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  const env = { ...process.env, PATH: path.join(delimiter), NODE_ENV: 'production' }
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { encoding: 'utf8' })
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
    assert.ok(tarball)
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const install = ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`]
    execFileSync('npm', install, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })

    const sound = execFileSync('npx', ['--no', 'patient-risk', 'check'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    assert.match(sound, /^All valid/)

    const script = "import { RiskClient } from 'patient-risk/client'; console.log(RiskClient.name)"
    const former = execFileSync('node', ['--input-type=module', '--eval', script], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    assert.equal(former, 'RiskClient\n')

    const server = spawnGroup('npx', ['--no', 'patient-risk', 'serve', '--port', '0'], { cwd: folder, env })
    try {
      const { origin, key } = await firstStart(server.stdout)
      const response = await fetch(`${origin}/risk/api/do/v0`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]',
      })
      assert.equal(await response.text(), '[{"idx":1,"risk":0.2294,"error_message":null}]')
      assert.match(await (await fetch(`${origin}/`)).text(), /^<!doctype html>/i)
    } finally {
      endGroups()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
})
