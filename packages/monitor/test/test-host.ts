/** A program for the monitoring to run in: its time moves when a test says so, and alarms last in memory. */
import { type Alarm, AlarmBoard, type Host } from '@patient-risk/monitor'

export const testHost = (given: Partial<Host> = {}): Host => ({
  steadyNow: () => 0,
  random: () => 0.5,
  latin1: (bytes) => Buffer.from(bytes).toString('latin1'),
  later: (work) => work(),
  nextTurn: () => Promise.resolve(),
  ...given,
})

export function memoryBoard(): AlarmBoard {
  const alarms: Alarm[] = []
  return new AlarmBoard({
    store: {
      readAlarms: () => Promise.resolve(alarms),
      writeAlarm: (alarm) => {
        alarms.push(alarm)
        return Promise.resolve()
      },
    },
    clock: { now: () => 0 },
    log: { error: () => undefined },
    host: testHost(),
  })
}
