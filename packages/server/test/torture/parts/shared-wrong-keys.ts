/** Several machines on one PostgreSQL count wrong keys together, and serve valid keys all the while. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_FAILED_KEYS_PER_MINUTE } from '../../../src/http/request/authenticate.ts'
import { startPostgres, whyNoPostgres } from '../../../../../test/support/postgres-server.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { type Running, scoreOnce, startOn } from '../store-process.ts'

const MACHINES = 2
/** Each machine alone stays below the limit. */
const WRONG_PER_MACHINE = 50
const MINUTE_MS = 60_000

export const part: Part = {
  name: 'shared-wrong-keys',
  promise: 'machines that share a PostgreSQL answer 60 wrong keys a minute in all, and every valid key',
  defect: 'each machine counts wrong keys for itself',
  shortScale: 1,
  isTimed: true,
  missing: whyNoPostgres,
  run,
}

async function run({ planted }: Trial): Promise<Verdict> {
  const server = await startPostgres()
  const databaseUrl = await server.newDatabase()
  const folders: string[] = []
  const machines: Running[] = []
  try {
    for (let machine = 0; machine < MACHINES; machine++) {
      const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-shared-keys-'))
      folders.push(dataDir)
      const plant = planted ? { plant: 'separate-counts' } : {}
      const isFirst = machine === 0
      machines.push(await startOn({ dataDir, databaseUrl, keySecret: 'of all machines', isFirst, ...plant }))
    }
    const key = machines[0]?.key ?? ''
    const faults: string[] = []
    const began = performance.now()
    let answered = 0
    let slowed = 0
    for (let attempt = 0; attempt < WRONG_PER_MACHINE; attempt++) {
      for (const { origin } of machines) {
        const { status } = await scoreOnce(origin, `prk_wrong${attempt}`)
        if (status === 401) answered++
        else if (status === 429) slowed++
        else faults.push(`a wrong key got ${status}`)
      }
    }
    // On a very slow machine the attempts fall into several minutes.
    const minutes = 1 + Math.floor((performance.now() - began) / MINUTE_MS)
    const most = minutes * DEFAULT_FAILED_KEYS_PER_MINUTE
    if (answered > most) faults.push(`${answered} wrong keys were answered in ${minutes} min, not ${most}`)
    for (const [place, { origin }] of machines.entries()) {
      const { status } = await scoreOnce(origin, key)
      if (status !== 200) faults.push(`a valid key got ${status} from machine ${place + 1}`)
    }
    return { faults, figures: { answered, slowed } }
  } finally {
    for (const machine of machines) await machine.kill()
    await server.remove()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}
