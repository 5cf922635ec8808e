/** An alarm board over a store in memory. */
import { PROCESS_HOST } from '../../../src/http/scoring/process-host.ts'
import { createLog } from '../../../src/log/log.ts'
import { AlarmBoard } from '@patient-risk/monitor'
import { type TestClock, testClock } from '../../../../../test/support/clock.ts'
import { type MemoryStore, openMemoryStore } from '../../store/memory-store.ts'

export async function testBoard(
  store?: MemoryStore,
): Promise<{ readonly board: AlarmBoard; readonly store: MemoryStore; readonly clock: TestClock }> {
  const clock = testClock()
  const kept = store ?? (await openMemoryStore())
  return {
    board: new AlarmBoard({ store: kept, clock, log: createLog('silent'), host: PROCESS_HOST }),
    store: kept,
    clock,
  }
}
