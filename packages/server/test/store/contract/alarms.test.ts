/** The contract of every store: an alarm has one row, which holds its last state. */
import assert from 'node:assert/strict'
import type { Alarm } from '@patient-risk/monitor'
import { onEachStore } from './each-store.ts'

const UNIT: Alarm = {
  ...{ kind: 'unit', deployment: 'mortality', keyId: 'key-a', field: 'haemoglobin', basis: 'g/dL' },
  ...{ likely: 'µmol/L', reference: 'history', state: 'raised', at: 1_773_576_000_000 },
}
const DRIFT: Alarm = { ...UNIT, kind: 'drift', keyId: '', likely: '', reference: 'profile' }

onEachStore((given, test) => {
  test('alarms keep their last state, one row for each kind, deployment, key and field', async () => {
    const { store } = given
    assert.deepEqual(await store.readAlarms(), [])
    const other: Alarm = { ...UNIT, keyId: 'key-b' }
    for (const alarm of [other, UNIT, DRIFT, UNIT]) await store.writeAlarm(alarm)
    assert.deepEqual(await store.readAlarms(), [DRIFT, UNIT, other])
    const confirmed: Alarm = { ...UNIT, state: 'confirmed', likely: '', reference: '', at: UNIT.at + 1 }
    await store.writeAlarm(confirmed)
    assert.deepEqual(await store.readAlarms(), [DRIFT, confirmed, other])
  })
})
