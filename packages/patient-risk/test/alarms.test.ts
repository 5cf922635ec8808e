/** `alarms list`, `confirm` and `acknowledge`: what an operator finds out is kept, and is in the audit. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Alarm } from '@patient-risk/monitor'
import { openStore } from '@patient-risk/server/store'
import { COMPILED, MAIN, runHere } from '../../../test/support/run-command.ts'
import { UNHURRIED } from '../../../test/support/unhurried.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'patient-risk-test-'))
after(() => rmSync(DATA_DIR, { recursive: true }))
const env = { DATA_DIR }
// Not by awaiting `runHere`, which other files of this process have used: the runner would take the tests below for theirs.
const out = execFileSync(process.execPath, [MAIN, 'keys', 'create', '--name', 'laboratory', '--json'], {
  encoding: 'utf8',
  env: { ...COMPILED, ...env },
})
const { id: keyId } = JSON.parse(out) as { id: string }
const ALARM: Alarm = {
  kind: 'unit',
  deployment: 'mortality',
  keyId,
  field: 'haemoglobin',
  basis: 'g/dL',
  likely: 'mmol/L',
  reference: 'history',
  state: 'raised',
  at: Date.parse('2026-03-15T12:00:00Z'),
}
const DRIFT: Alarm = {
  ...ALARM,
  kind: 'drift',
  keyId: '',
  field: 'age',
  deployment: 'readmission',
  likely: '',
  basis: 'readmission30@1.0.4',
  reference: 'profile',
}

const CALIBRATION: Alarm = {
  ...ALARM,
  kind: 'calibration',
  keyId: '',
  deployment: 'readmission',
  field: 'ward 3',
  basis: 'digest',
  likely: '2026-01',
  reference: '',
}

async function raise(...alarms: readonly Alarm[]): Promise<void> {
  const { store } = await openStore(DATA_DIR, undefined, undefined, UNHURRIED)
  for (const alarm of alarms) await store.writeAlarm(alarm)
  await store.close()
}

async function listed(): Promise<readonly Alarm[]> {
  return JSON.parse((await runHere(['alarms', 'list', '--json'], env)).out) as Alarm[]
}

async function lastCall(): Promise<unknown> {
  const { out: rows } = await runHere(['audit', 'list', '--last', '1', '--json'], env)
  const { call, subject } = JSON.parse(rows) as { readonly call: string; readonly subject: string }
  return [call, subject]
}

const FEED = ['--deployment', 'mortality', '--key', keyId, '--field', 'haemoglobin']

test('alarms are listed, confirmed and acknowledged, and each step is in the audit', async () => {
  assert.equal((await runHere(['alarms', 'list'], env)).out, 'There are no alarms.\n')
  await raise(ALARM, DRIFT)
  const { out: table } = await runHere(['alarms', 'list'], env)
  assert.match(
    table,
    /^mortality +\w{12} +haemoglobin +unit +g\/dL +mmol\/L +history +raised +2026-03-15T12:00/m,
  )
  const confirmed = await runHere(['alarms', 'confirm', ...FEED, '--unit', 'g/dL'], env)
  assert.deepEqual(confirmed, { code: 0, out: 'haemoglobin of mortality: confirmed.\n', err: '' })
  assert.deepEqual(await lastCall(), ['alarms confirm', `mortality ${keyId} haemoglobin g/dL`])
  await raise(ALARM)
  assert.equal((await runHere(['alarms', 'acknowledge', ...FEED], env)).code, 0)
  assert.deepEqual(await lastCall(), ['alarms acknowledge', `mortality ${keyId} haemoglobin g/dL`])
  assert.equal((await runHere(['alarms', 'acknowledge', ...FEED], env)).code, 1, 'there is none any more')
  const drift = ['--deployment', 'readmission', '--field', 'age']
  assert.equal((await runHere(['alarms', 'acknowledge', ...drift], env)).code, 0)
  assert.deepEqual(
    (await listed()).map(({ kind, state }) => `${kind} ${state}`),
    ['unit acknowledged', 'drift acknowledged'],
  )
})

test('an alarm of calibration is listed and acknowledged too; complete months count no more', async () => {
  await raise(CALIBRATION, { ...CALIBRATION, field: '' })
  const acknowledge = (...more: readonly string[]): ReturnType<typeof runHere> =>
    runHere(['alarms', 'acknowledge', '--deployment', 'readmission', ...more], env)
  const ofGroup = await acknowledge('--group', 'ward 3')
  assert.deepEqual(ofGroup, { code: 0, out: 'calibration ward 3 of readmission: acknowledged.\n', err: '' })
  const states = (await listed()).filter(({ kind }) => kind === 'calibration')
  assert.deepEqual(
    states.map(({ field, state }) => [field, state]),
    [
      ['', 'raised'],
      ['ward 3', 'acknowledged'],
    ],
  )
  const { reference = '' } = states[1] ?? {}
  const now = new Date()
  now.setDate(0)
  assert.equal(reference, `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`)
  assert.equal((await acknowledge()).out, 'calibration of readmission: acknowledged.\n')
  assert.deepEqual(await lastCall(), ['alarms acknowledge', 'readmission digest'])
  assert.equal((await acknowledge()).code, 1)
  assert.equal((await acknowledge('--field', 'age', '--group', 'ward 3')).code, 2)
})

const REFUSED: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['another unit than the one received', [...FEED, '--unit', 'mmol/L'], 1, /receives haemoglobin in g\/dL/],
  // Without a unit it is a doubt of another kind, and there is none.
  ['no unit, and no doubt about the feed', FEED, 1, /^There is no such alarm\./],
  ['no field', FEED.slice(0, 4), 2, /^--field is required\./],
  ['neither key nor field', FEED.slice(0, 2), 2, /^--key and --field are required\./],
  ['a unit without its field', [...FEED.slice(0, 4), '--unit', 'g/dL'], 2, /^--field is required\./],
  ['an unknown key', [...FEED.with(3, 'nobody'), '--unit', 'g/dL'], 1, /There is no key nobody/],
  ['an unknown deployment', [...FEED.with(1, 'x'), '--unit', 'g/dL'], 1, /no deployment called x/],
  ['a field with one unit', [...FEED.with(5, 'age'), '--unit', 'years'], 1, /no field with several units/],
]
for (const [name, args, code, message] of REFUSED) {
  test(`confirm is refused: ${name}`, async () => {
    const ran = await runHere(['alarms', 'confirm', ...args], env)
    assert.equal(ran.code, code)
    assert.match(ran.err, message)
  })
}

for (const [what, words, state] of [
  ['confirmed', ['confirm', ...FEED, '--unit', 'g/dL'], 'confirmed'],
  ['acknowledged', ['acknowledge', ...FEED], 'acknowledged'],
] as const) {
  test(`two alarms about one field of a feed are ${what} together, and those about others are not`, async () => {
    const { at } = ALARM
    const feed: Alarm = { ...ALARM, kind: 'feed', basis: 'as sent', reference: 'unit', at: at + 1 }
    const others = [
      { ...feed, field: 'albumin' },
      { ...feed, deployment: 'readmission' },
      { ...feed, keyId: 'k2' },
    ]
    await raise(ALARM, feed, ...others)
    const { code, err } = await runHere(['alarms', ...words], env)
    assert.equal(code, 0, err)
    const now = await listed()
    const stateOf = ({ kind, deployment, keyId: key, field }: Alarm): string | undefined =>
      now.find(
        (each) =>
          each.kind === kind && each.deployment === deployment && each.keyId === key && each.field === field,
      )?.state
    assert.deepEqual([ALARM, feed, ...others].map(stateOf), [state, state, 'raised', 'raised', 'raised'])
  })
}
