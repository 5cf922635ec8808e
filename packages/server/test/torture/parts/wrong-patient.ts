/** Wrong patient: answers must be those of the records that were sent, whatever else is going on. */
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import { LARGE_BYTES } from '../../../src/http/scoring/scoring-dispatcher.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { Client } from '../../../../../test/support/client.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { startService } from '../../../../../test/support/service-process.ts'

const RECORDS = 1_000_000
/** Bodies that a thread must have answered before a run ends. */
const LARGE_BODIES = 100
const CLIENTS = 32
const SHARE_ABORTED = 0.02
const SHARE_WITH_DUPLICATES = 0.1
const TODAY = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))

export const part: Part = {
  name: 'wrong-patient',
  promise:
    '1,000,000 self-describing records from 32 clients with duplicates, aborts and threads that die: 0 mismatches',
  defect: 'now and then an answer is that of an earlier request',
  shortScale: 0.05,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const service = await startService({
    logLevel: 'warn',
    plants: ['dying-threads', ...(planted ? ['crossed-answers'] : [])],
  })
  const { scorer } = referenceDeployment()
  const faults: string[] = []
  const count = { records: 0, requests: 0, aborted: 0, duplicates: 0, large: 0, lost: 0, refused: 0 }
  const target = Math.ceil(RECORDS * scale)
  try {
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, number) => {
        const random = randomFrom(seed + number)
        const client = new Client(service, 1)
        while ((count.records < target || count.large < LARGE_BODIES * scale) && faults.length < 20) {
          const { body, size, hasDuplicates } = makeBody(random, number)
          const requestId = `${number}-${count.requests}`
          count.requests++
          if (random() < SHARE_ABORTED) {
            count.aborted++
            await client.post(body, { abortAfterMs: random() * 5 }).catch(() => undefined)
            continue
          }
          const reply = await client
            .post(body, { headers: { 'x-request-id': requestId } })
            .catch(() => undefined)
          if (reply === undefined) {
            faults.push(`no answer for client ${number}`)
            continue
          }
          // A thread died with the request, or too many wait for the next thread: the caller gets an error and sends it again.
          if (reply.status === 503) {
            const { code } = JSON.parse(reply.body.toString()) as { code: string }
            if (code === 'WORKER_LOST') count.lost++
            else if (code === 'OVERLOADED') count.refused++
            else faults.push(`503 ${code} for client ${number}`)
            continue
          }
          const expected = Buffer.from(scorer.score(Buffer.from(body), TODAY).bytes)
          if (reply.status !== 200) faults.push(`status ${reply.status} for client ${number}`)
          else if (!expected.equals(reply.body))
            faults.push(`another answer than that of its records, client ${number}`)
          else if (reply.requestId !== requestId) faults.push(`another request id, client ${number}`)
          count.records += size
          if (body.length >= LARGE_BYTES) count.large++
          if (hasDuplicates) count.duplicates++
          if (count.requests % 5_000 === 0) say(`${count.records} records`)
        }
        client.close()
      }),
    )
    if (service.child.exitCode !== null) faults.push('the service has ended')
    if (scale === 1 && count.lost === 0) faults.push('no thread died with a request')
  } finally {
    await service.stop()
  }
  return { faults, figures: { ...count, clients: CLIENTS } }
}

/** A batch whose every value follows from its idx, so that each answer says whose it is. */
function makeBody(
  random: () => number,
  client: number,
): { body: string; size: number; hasDuplicates: boolean } {
  // Some are so large that a thread answers it, out of a buffer that others had before.
  const most = random() < 0.2 ? 7_000 : 400
  const size = random() < 0.3 ? 1 : 1 + Math.floor(random() * most)
  const start = client * 1e9 + Math.floor(random() * 1e9)
  const hasDuplicates = size > 1 && random() < SHARE_WITH_DUPLICATES
  const records = Array.from({ length: size }, (_, index) => {
    const idx = hasDuplicates && index === size - 1 ? start : start + index
    return `{"idx":${idx},"age":${18 + (idx % 90)},"sex":"${'FMX'[idx % 3]}","inpatientAdmissions":${idx % 11},"emergencyAdmissions":${idx % 17},"stayDays":${idx % 61}}`
  })
  return { body: `[${records.join(',')}]`, size, hasDuplicates }
}

function referenceDeployment(): Deployment {
  const { deployments } = makeDeployments(testCatalog(), [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  ])
  return deployments[0] as Deployment
}
