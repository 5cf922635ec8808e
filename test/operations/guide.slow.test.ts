/**
 * docs/operations.md, followed command by command from an empty folder that stands for the root of a server: two instances on one
 * PostgreSQL, an upgrade, a way back. Nobody becomes root, and systemd is a script that does what the lines of the unit file say.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { blocksOf } from '../documents/blocks.ts'
import { exchange } from '../exchange.ts'
import { SCORE } from '../serve.ts'
import { useDatabases } from '../store/postgres-server.ts'

const PAGE = 'docs/operations.md'
const MARK = 'run-by-guide.slow.test.ts'

const newDatabase = useDatabases()
const root = mkdtempSync(join(tmpdir(), 'patient-risk-guide-'))
after(() => {
  spawnSync(join(root, 'bin/systemctl'), ['stop', ...ports.map((port) => `patient-risk@${port}`)])
  rmSync(root, { recursive: true, force: true })
})
let ports: readonly number[] = []

/** Starts, stops and restarts what a unit file describes. */
const SYSTEMCTL = `#!/bin/bash
[ "$1" = daemon-reload ] && exit 0
verb=$1; shift
for unit in "$@"; do
  [ "$unit" = --now ] && continue
  instance=\${unit#*@}
  pid="$ROOT/$unit.pid"
  if [ "$verb" != enable ] && [ -e "$pid" ]; then
    kill -TERM "$(cat "$pid")" && while kill -0 "$(cat "$pid")" 2> /dev/null; do sleep 0.1; done
    rm "$pid"
  fi
  [ "$verb" = stop ] && continue
  file=$(sed -e "s|%i|$instance|g" -e "s|/opt/|$ROOT/opt/|g" -e "s|/etc/|$ROOT/etc/|g" -e "s|/var/|$ROOT/var/|g" \\
    "$ROOT/etc/systemd/system/\${unit%@*}@.service")
  value() { sed -n "s|^$1=-\\?||p" <<< "$file"; }
  mkdir -p "$ROOT/var/lib/$(value StateDirectory)" "$ROOT/var/cache/$(value CacheDirectory)"
  (
    set -a
    for each in $(value Environment); do eval "$each"; done
    . "$(value EnvironmentFile)"
    cd "$(value WorkingDirectory)"
    exec $(value ExecStart)
  ) >> "$ROOT/$unit.log" 2>&1 &
  echo $! > "$pid"
done
`
const JOURNALCTL = `#!/bin/bash
cat "$ROOT/$2.log"
`

function programs(): void {
  mkdirSync(join(root, 'bin'))
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
  for (const [name, text] of Object.entries({ systemctl: SYSTEMCTL, journalctl: JOURNALCTL })) {
    writeFileSync(join(root, 'bin', name), text)
    chmodSync(join(root, 'bin', name), 0o755)
  }
}

/** The commands of the page, on this root: other paths and ports, nobody becomes another user, and packages are those of this checkout. */
function here(text: string, databaseUrl: string): string {
  return text
    .replaceAll(/(?<![\w.])\/(opt|etc|var)\//g, `${root}/$1/`)
    .replaceAll('8081', String(ports[0]))
    .replaceAll('8082', String(ports[1]))
    .replace(/^sudo useradd .*$/m, '')
    .replaceAll('runuser -u patient-risk -- ', '')
    .replaceAll('sudo ', '')
    .replace(/^npm ci.*$/m, `ln -s ${process.cwd()}/node_modules node_modules`)
    .replace(/^npm prune.*$/m, '')
    .replace(/postgres:\/\/patient_risk:PASSWORD@\S+/, databaseUrl)
}

function sh(script: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, ROOT: root, PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
    timeout: 300_000,
  })
  assert.equal(status, 0, `${script}\n${stdout}\n${stderr}`)
  return stdout
}

test('two instances, an upgrade and a way back, as the page says', { timeout: 580_000 }, async () => {
  programs()
  ports = [await freePort(), await freePort()]
  const databaseUrl = await newDatabase()
  const blocks = blocksOf(readFileSync(PAGE, 'utf8'))
    .filter(({ apart }) => apart === MARK)
    .map(({ text }) => here(text, databaseUrl))
  assert.equal(blocks.length, 6)
  const [install = '', configure = '', risk = '', start = '', upgrade = '', back = ''] = blocks
  sh(install)
  sh(configure)
  const started = sh(`${risk}\n${start}`)
  const [key = ''] = /prk_\w+/.exec(started) ?? []
  assert.match(started, /Intact/)
  const score = async (port: number | undefined): Promise<number> => {
    // On a connection of its own: the process may be another one than for the last call.
    const answer = await exchange(`http://127.0.0.1:${port}`, {
      method: 'POST',
      path: SCORE,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]',
    })
    return answer.status
  }
  for (const port of ports) assert.equal(await score(port), 200)
  // Step 1 for the next version: without the user and the link.
  sh(install.replace('VERSION=0.2.0', 'VERSION=0.3.0').replace(/^ln -sfn.*$/m, ''))
  sh(`${risk}\n${upgrade}`)
  for (const port of ports) assert.equal(await score(port), 200)
  sh(back)
  for (const port of ports) assert.equal(await score(port), 200)
  assert.match(sh(`${risk}\nrisk audit verify`), /Intact/)
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
