/** Records with problems count more against the quota of a key, so that they cannot use up the service. */
import { Client } from '../../../../../test/support/client.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { startService } from '../../../../../test/support/service-process.ts'

const LIMIT = 100_000
const RECORDS = 1_000
const BODY = `[${Array.from({ length: RECORDS }, (_each, idx) => `{"idx":${idx}}`).join(',')}]`
/** Each record misses five fields, and each problem counts as four records. */
const COUNTED = 21

export const part: Part = {
  name: 'problem-quota',
  promise: 'a key whose records have five problems each gets a twentieth of its records a minute',
  defect: 'a record with problems counts as a clean one',
  shortScale: 1,
  run,
}

async function run(trial: Trial): Promise<Verdict> {
  const plants = trial.planted ? { plants: ['uncounted-problems'] } : {}
  const service = await startService({ logLevel: 'error', limits: { recordsPerMinute: LIMIT }, ...plants })
  const client = new Client(service, 1)
  try {
    let answered = 0
    for (let request = 0; request < LIMIT / RECORDS; request++) {
      if ((await client.post(BODY)).status !== 200) break
      answered += RECORDS
    }
    const most = Math.ceil(LIMIT / COUNTED / RECORDS) * RECORDS
    const faults = answered > most ? [`${answered} records were answered; the bound is ${most}`] : []
    if (answered === 0) faults.push('nothing was answered')
    return { faults, figures: { answered } }
  } finally {
    client.close()
    await service.stop()
  }
}
