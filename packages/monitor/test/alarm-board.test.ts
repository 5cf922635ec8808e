/** The board writes and reads alarms in turn, and shows what the store does not have yet. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alarm, AlarmBoard } from '@patient-risk/monitor'
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
