/** The nightly run as cron and systemd start it: each file is read by its own program where that is here, and its command runs twice. */
// Own process: it starts a cron of its own.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { asLines, cleanRecords } from '../support/records.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-nightly-'))
after(() => rmSync(folder, { recursive: true }))

const read = (file: string): string => readFileSync(join('ops', file), 'utf8')
const without = (program: string): false | string =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? false : `${program} is not installed`

/** Folders of this test in the place of those of the files. */
function here(text: string, place: string): string {
  const root = join(folder, place)
  mkdirSync(join(root, 'patients'), { recursive: true })
  writeFileSync(join(root, 'patients', 'a.ndjson'), asLines(cleanRecords(3)))
  return text
    .replaceAll('/opt/patient-risk/current', process.cwd())
    .replaceAll('node_modules/.bin/node', process.execPath)
    .replaceAll(`${process.cwd()}/${process.execPath}`, process.execPath)
    .replaceAll('/srv/', `${root}/`)
}

function manifestOf(place: string): string {
  return join(folder, place, 'risks', 'risk-manifest.json')
}

const [, SCHEDULE = '', CRON_COMMAND = ''] =
  /^(\S+ \S+ \S+ \S+ \S+) patient-risk (.+)$/m.exec(read('cron/patient-risk-nightly')) ?? []
const [, UNIT_COMMAND = ''] = /^ExecStart=(.+)$/m.exec(read('systemd/patient-risk-nightly.service')) ?? []

for (const [name, command, last] of [
  ['cron', CRON_COMMAND, ''],
  ['systemd', UNIT_COMMAND, '0 of 1 inputs scored, 1 as before.\n'],
] as const) {
  test(`the command of ${name} runs twice`, () => {
    const line = here(command, name)
    const night = (): string => {
      const { status, stderr, stdout } = spawnSync('/bin/sh', ['-c', line], {
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin' },
      })
      assert.equal(status, 0, stderr)
      return stdout + stderr
    }
    night()
    const { mtimeMs } = statSync(join(folder, name, 'risks', 'a.ndjson'))
    assert.equal(night(), last)
    assert.equal(statSync(join(folder, name, 'risks', 'a.ndjson')).mtimeMs, mtimeMs)
  })
}

test(
  'systemd takes the timer and its service, at a time of each night',
  { skip: without('systemd-analyze') },
  () => {
    const units = ['patient-risk-nightly.timer', 'patient-risk-nightly.service'].map((name) => {
      const path = join(folder, name)
      writeFileSync(path, here(read(`systemd/${name}`), 'verified'))
      return path
    })
    const { stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
    assert.doesNotMatch(stderr, /patient-risk/)
    const [, when = ''] = /^OnCalendar=(.+)$/m.exec(read('systemd/patient-risk-nightly.timer')) ?? []
    const calendar = spawnSync('systemd-analyze', ['calendar', '--iterations=2', when], { encoding: 'utf8' })
    assert.equal(calendar.status, 0, calendar.stderr)
    const [hour = '', minute = ''] = SCHEDULE.split(' ').slice(0, 2).reverse()
    // Once for each night, and once more in UTC where the machine has another zone.
    const nights = calendar.stdout.match(new RegExp(` ${hour.padStart(2, '0')}:${minute}:00`, 'g')) ?? []
    assert.ok(nights.length >= 2, calendar.stdout)
  },
)

/** cron reads one folder of the system. In a namespace of its own it is a folder of this test. */
const CRON = process.env['CRON'] ?? 'cron'
const whyNoCron =
  process.getuid?.() === 0 ? without('unshare') || without(CRON) : 'cron needs root to be started'

test('cron starts the run', { skip: whyNoCron }, async () => {
  const crontabs = join(folder, 'cron.d')
  mkdirSync(crontabs)
  const text = here(read('cron/patient-risk-nightly'), 'started')
  const line = text.replace(`${SCHEDULE} patient-risk `, '* * * * * root ')
  writeFileSync(join(crontabs, 'patient-risk-nightly'), line, { mode: 0o644 })
  const inside = [
    `mount --bind '${crontabs}' /etc/cron.d`,
    'mount -t tmpfs none /var/spool',
    'mkdir -p /var/spool/cron/crontabs',
    'mount -t tmpfs none /run',
    `exec '${CRON.includes('/') ? resolve(CRON) : CRON}' -f`,
  ]
  const child = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', inside.join('\n')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    // It looks at its folder at the start of each minute.
    await until(
      () =>
        existsSync(manifestOf('started')) &&
        readFileSync(manifestOf('started'), 'utf8').includes('"complete": true'),
      {
        timeoutMs: 150_000,
        what: 'a run started by cron',
      },
    )
  } finally {
    await end(child)
  }
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exit = once(child, 'exit')
  child.kill()
  await exit
}
