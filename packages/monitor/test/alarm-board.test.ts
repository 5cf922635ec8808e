/** The board writes and reads alarms in turn, and shows what the store does not have yet. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alarm, AlarmBoard, OutcomeWatch } from '@patient-risk/monitor'
import { testHost } from './test-host.ts'

const FIELDS = ['age', 'sex', 'stayDays', 'risk']
const alarmOf = (field: string): Omit<Alarm, 'state' | 'at'> => {
  return {
    kind: 'drift',
    deployment: 'ward',
    keyId: '',
    field,
    basis: 'm@1',
    likely: '',
    reference: 'profile',
  }
}

test('alarms that one body raises are written one after the other', async () => {
  const kept = new Map<string, Alarm>()
  let writes = 0
  let most = 0
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const store = {
    readAlarms: () => Promise.resolve([...kept.values()]),
    async writeAlarm(alarm: Alarm): Promise<void> {
      writes++
      most = Math.max(most, writes)
      await turn()
      writes--
      kept.set(alarm.field, alarm)
    },
  }
  const log = { error: () => undefined }
  const board = new AlarmBoard({ store, clock: { now: () => 7 }, log, host: testHost() })
  for (const field of FIELDS) board.watch({ kind: 'drift', deployment: 'ward', field }, 'm@1')
  await Promise.all(FIELDS.map((field) => board.raise(alarmOf(field))))
  assert.equal(most, 1)
  assert.deepEqual([...kept.keys()], FIELDS)
  assert.deepEqual(
    (await board.raised()).map(({ field }) => field),
    FIELDS,
  )
})

test('each sender has its own open alarms, also several of them', async () => {
  const kept: Alarm[] = []
  const store = {
    readAlarms: () => Promise.resolve(kept),
    writeAlarm: (alarm: Alarm) => Promise.resolve(void kept.push(alarm)),
  }
  const log = { error: () => undefined }
  const board = new AlarmBoard({ store, clock: { now: () => 7 }, log, host: testHost() })
  const senders = ['ward', 'clinic'].flatMap((deployment) =>
    ['k1', 'k2'].map((keyId) => ({ kind: 'feed', deployment, keyId }) as const),
  )
  for (const sender of senders) {
    for (const field of ['age', 'sex']) {
      board.watch({ ...sender, field }, 'm@1')
      await board.raise({ ...alarmOf(field), ...sender })
    }
  }
  for (const sender of senders) {
    const fields = board.raisedAbout(sender).map(({ field }) => field)
    assert.deepEqual(fields, ['age', 'sex'])
  }
})

test('the month of a deployment is the first of its open alarms, in whatever order they are stored', async () => {
  const alarm = (deployment: string, field: string, likely: string, state: Alarm['state']): Alarm => {
    return { ...alarmOf(field), kind: 'calibration', deployment, likely, state, at: 7 }
  }
  const kept = [
    alarm('ward', '', '2026-05', 'raised'),
    alarm('ward', 'ward 3', '2026-03', 'raised'),
    alarm('ward', 'ward 4', '2026-04', 'raised'),
    alarm('ward', 'ward 5', '2026-01', 'acknowledged'),
    alarm('clinic', '', '2026-02', 'raised'),
  ]
  for (const stored of [kept, [...kept].reverse()]) {
    const store = { readAlarms: () => Promise.resolve(stored), writeAlarm: () => Promise.resolve() }
    const log = { error: () => undefined }
    const board = new AlarmBoard({ store, clock: { now: () => 7 }, log, host: testHost() })
    await board.refresh()
    const months = ['ward', 'clinic', 'other'].map((name) => board.monthOf(name))
    assert.deepEqual(months, ['2026-03', '2026-02', undefined])
  }
})

test('an alarm of drift holds for a later model only where its numbers follow from the same', async () => {
  const raised: Alarm = { ...alarmOf('age'), state: 'raised', at: 7 }
  const store = { readAlarms: () => Promise.resolve([raised]), writeAlarm: () => Promise.resolve() }
  const log = { error: () => undefined }
  /** What the board is told · whether the alarm of m@1 is in force for m@2. */
  const rows: readonly (readonly [(board: AlarmBoard) => void, boolean])[] = [
    [() => undefined, false],
    [(board) => board.holdsFor('ward', 'm@1'), true],
    [(board) => board.holdsFor('ward', 'm@0'), false],
    [(board) => board.holdsFor('other', 'm@1'), false],
  ]
  for (const [tell, isInForce] of rows) {
    const board = new AlarmBoard({ store, clock: { now: () => 7 }, log, host: testHost() })
    board.watch({ kind: 'drift', deployment: 'ward', field: 'age' }, 'm@2')
    tell(board)
    assert.equal((await board.raised()).length === 1, isInForce)
  }
  const unwatched = new AlarmBoard({ store, clock: { now: () => 7 }, log, host: testHost() })
  unwatched.holdsFor('ward', 'm@1')
  assert.deepEqual(await unwatched.raised(), [])
})

/** What the store knows of m@1 · whether its alarm is kept for m@2, whose numbers have the digest r. */
const STATES: readonly (readonly [string, { model: string; riskDigest: string }, boolean])[] = [
  ['the same numbers', { model: 'm@1', riskDigest: 'r' }, true],
  ['other numbers', { model: 'm@1', riskDigest: 's' }, false],
  ['noted before there were digests of numbers', { model: 'm@1', riskDigest: '' }, true],
  ['another model from before', { model: 'n@1', riskDigest: '' }, false],
]
for (const [name, known, isKept] of STATES) {
  test(`an earlier state with ${name}: its alarm of drift is ${isKept ? 'kept' : 'void'}`, async () => {
    const held: string[] = []
    const board = { holdsFor: (deployment: string, model: string) => held.push(`${deployment} ${model}`) }
    const store = { noteStates: () => Promise.resolve(), readStates: () => Promise.resolve([known]) }
    const watch = new OutcomeWatch({ store, board } as unknown as ConstructorParameters<
      typeof OutcomeWatch
    >[0])
    const definition = { id: 'm', version: '2' }
    const deployment = { name: 'ward', digest: 'd', riskDigest: 'r', model: { definition }, deciding: {} }
    await watch.noteStates([deployment] as unknown as Parameters<OutcomeWatch['noteStates']>[0])
    assert.deepEqual(held, isKept ? [`ward ${known.model}`] : [])
  })
}
