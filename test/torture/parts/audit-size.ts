/** Size: a row of the audit takes at most 300 bytes on disk, as a busy service writes them. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { auditTrial } from '../audit-trial.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { underLoad } from '../store-process.ts'
import { until } from '../../until.ts'

const ROWS = 100_000
const CALLERS = 8
const MOST_BYTES = 300

export const part: Part = {
  name: 'audit-size',
  promise: '100,000 rows of eight callers take at most 300 bytes each on disk',
  defect: 'rows are stored as they are, without compression',
  shortScale: 0.03,
  run,
}

function run({ scale, planted }: Trial): Promise<Verdict> {
  const rows = Math.ceil(ROWS * scale)
  return auditTrial({ plant: planted ? 'plain-rows' : undefined }, async (trial) => {
    const { service, key, dataDir, database, faults } = trial
    const path = join(dataDir, 'patient-risk.sqlite')
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const empty = statSync(path).size
    let answered = 0
    const load = underLoad(
      CALLERS,
      () => ({ origin: service.origin, key }),
      ({ status }) => {
        if (status === 200) answered++
      },
    )
    await until(() => answered >= rows, { timeoutMs: 3_600_000, what: 'the load' })
    await load.end()
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const bytes = Math.round((statSync(path).size - empty) / answered)
    if (bytes > MOST_BYTES) faults.push(`a row takes ${bytes} bytes`)
    return { rows: answered, bytesOfARow: bytes }
  })
}
