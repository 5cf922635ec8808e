/** Size: a row of the audit takes at most 300 bytes on disk, as a busy service writes them. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { exchange } from '../../../../../test/support/exchange.ts'
import { SCORE } from '../../../../../test/support/serve.ts'
import { auditTrial } from '../audit-trial.ts'
import type { Part, Trial, Verdict } from '../part.ts'

const ROWS = 100_000
const CALLERS = 8
const MOST_BYTES = 300

export const part: Part = {
  name: 'audit-size',
  promise: '100,000 rows of eight callers take at most 300 bytes each on disk',
  defect: 'rows are stored as they are, without compression',
  shortScale: 0.01,
  run,
}

function run({ scale, planted }: Trial): Promise<Verdict> {
  const rows = Math.ceil(ROWS * scale)
  return auditTrial({ plant: planted ? 'uncompressed-rows' : undefined }, async (trial) => {
    const { service, key, dataDir, database, faults } = trial
    const path = join(dataDir, 'patient-risk.sqlite')
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const empty = statSync(path).size
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    let answered = 0
    const caller = async (): Promise<void> => {
      while (answered < rows) {
        // Different records: equal digests in the rows of a group would be compressed away.
        const body = `[{"idx":${answered++},"age":84,"sex":"F","stayDays":7}]`
        const { status } = await exchange(service.origin, { method: 'POST', path: SCORE, headers, body })
        if (status !== 200) faults.push(`an answer had the status ${status}`)
      }
    }
    await Promise.all(Array.from({ length: CALLERS }, caller))
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const bytes = Math.round((statSync(path).size - empty) / answered)
    if (bytes > MOST_BYTES) faults.push(`a row takes ${bytes} bytes`)
    return { rows: answered, bytesOfARow: bytes }
  })
}
