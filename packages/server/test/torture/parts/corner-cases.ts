/** JSON corner cases: a table of bodies at the edges of JSON, each with the status that it must get. */
import { Client } from '../../../../../test/support/client.ts'
import { CORNER_CASES } from '../corner-cases.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { startService } from '../../../../../test/support/service-process.ts'

export const part: Part = {
  name: 'corner-cases',
  promise: `${CORNER_CASES.length} bodies at the edges of JSON get the status that the table says`,
  defect: 'the parser forgives a comma too many',
  shortScale: 1,
  run,
}

async function run({ planted }: Trial): Promise<Verdict> {
  const service = await startService({ logLevel: 'error', ...(planted ? { plants: ['lenient-json'] } : {}) })
  const client = new Client(service, 4)
  const faults: string[] = []
  try {
    for (const { name, body, status } of CORNER_CASES) {
      const reply = await client.post(body).catch((error: unknown) => ({ status: (error as Error).message }))
      if (reply.status !== status) faults.push(`${name} → ${reply.status}, not ${status}`)
    }
    if (service.child.exitCode !== null) faults.push('the service has ended')
  } finally {
    client.close()
    await service.stop()
  }
  return { faults, figures: { bodies: CORNER_CASES.length } }
}
