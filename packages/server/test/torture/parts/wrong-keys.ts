/** Wrong keys slow down only wrong keys: every valid key of the same address is served. */
import { Client } from '../../../../../test/support/client.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { startService } from '../../../../../test/support/service-process.ts'

const WRONG = 200

export const part: Part = {
  name: 'wrong-keys',
  promise: 'after 200 wrong keys of an address, its unused keys, new keys and administrators are served',
  defect: 'a key that was not used before is refused after many wrong ones',
  shortScale: 1,
  isTimed: true,
  run,
}

async function run(trial: Trial): Promise<Verdict> {
  const plants = trial.planted ? { plants: ['lock-out'] } : {}
  const service = await startService({ logLevel: 'error', failedKeysPerMinute: 60, ...plants })
  const client = new Client(service, 1)
  const asAdmin = { path: '/admin/keys' }
  try {
    const make = async (): Promise<{ status: number; key: string }> => {
      const { status, body } = await client.post('{"name":"torture"}', asAdmin)
      return { status, key: (JSON.parse(String(body)) as { key?: string }).key ?? '' }
    }
    const score = async (key: string): Promise<number> =>
      (await client.post('[]', { headers: { authorization: `Bearer ${key}` } })).status
    const unused = await make()
    const statuses: number[] = []
    for (let count = 0; count < WRONG; count++) statuses.push(await score(`prk_wrong${count}`))
    const fresh = await make()
    const faults: string[] = []
    if (statuses.at(-1) !== 429) faults.push('wrong keys are not slowed')
    for (const [what, status] of [
      ['the administrator', fresh.status - 1],
      ['a key that was never used', await score(unused.key)],
      ['a key that was made just now', await score(fresh.key)],
    ] as const) {
      if (status !== 200) faults.push(`${what} got ${status}`)
    }
    return { faults, figures: { slowed: statuses.filter((status) => status === 429).length } }
  } finally {
    client.close()
    await service.stop()
  }
}
