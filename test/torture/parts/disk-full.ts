/** Disk full: without room for the audit nothing is scored, and with room again the service goes on by itself. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../src/store/open.ts'
import { verifyStore } from '../../../src/store/verify-chain.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { type Scored, scoreOnce, startOn, underLoad } from '../store-process.ts'

const ROUNDS = 10
const CALLERS = 8
/** More than the rows of all rounds take: what fills the disk must be the ballast, which can be thrown off. */
const DISK_BYTES = 256 * 1024 * 1024
/** Of 512 bytes: the ring of the store fits, the file of the store soon does not. */
const FILE_BLOCKS = 18_000
const PATIENCE_MS = 10_000

export const part: Part = {
  name: 'disk-full',
  promise:
    'disk full and write errors: no score without an audit row, 503, back by itself once there is room',
  defect: 'an answer is given although its row could not be written',
  shortScale: 0.1,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const plant = planted ? { plant: 'careless-audit' } : {}
  const errors = await writeErrors(plant)
  if (userInfo().uid !== 0) {
    say('without root no small disk can be mounted: write errors alone were tried')
    return errors
  }
  const full = await fullDisk(Math.ceil(ROUNDS * scale), randomFrom(seed), plant)
  return { faults: [...errors.faults, ...full.faults], figures: { ...errors.figures, ...full.figures } }
}

/** A disk of its own that is filled to the brim and freed again. */
async function fullDisk(rounds: number, random: () => number, plant: { plant?: string }): Promise<Verdict> {
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', dataDir])
  if (mounted.status !== 0) {
    rmSync(dataDir, { recursive: true })
    return { faults: [], figures: { smallDisk: 'cannot be mounted here' } }
  }
  const faults: string[] = []
  const all: Scored[] = []
  let slowestReturn = 0
  const service = await startOn({ dataDir, ...plant })
  const key = service.key ?? ''
  const load = underLoad(
    CALLERS,
    () => ({ origin: service.origin, key }),
    (scored) => all.push(scored),
  )
  try {
    for (let round = 0; round < rounds; round++) {
      await sleep(200 + random() * 300)
      const ballast = join(dataDir, 'ballast')
      fill(ballast, dataDir)
      const refused = await until(service.origin, key, ({ status }) => status === 503)
      // Careless, the planted service never refuses; its rows tell.
      if (refused === undefined && plant.plant === undefined)
        faults.push(`round ${round}: no 503 on a full disk`)
      await sleep(300)
      rmSync(ballast)
      const freed = performance.now()
      const back = await until(service.origin, key, ({ status }) => status === 200)
      if (back === undefined) faults.push(`round ${round}: not back once there was room`)
      slowestReturn = Math.max(slowestReturn, performance.now() - freed)
    }
    await load.end()
    faults.push(...(await judge(dataDir, all)))
    return { faults, figures: { ...counts(all), rounds, slowestReturnMs: Math.round(slowestReturn) } }
  } finally {
    await load.end()
    await service.kill()
    spawnSync('umount', ['-l', dataDir])
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Writes fail from some size on, for good. */
async function writeErrors(plant: { plant?: string }): Promise<Verdict> {
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-write-'))
  const service = await startOn({ dataDir, fileBlocks: FILE_BLOCKS, ...plant })
  const key = service.key ?? ''
  const all: Scored[] = []
  const load = underLoad(
    CALLERS,
    () => ({ origin: service.origin, key }),
    (scored) => all.push(scored),
  )
  try {
    const began = performance.now()
    const isEnough = (): boolean =>
      plant.plant === undefined ? all.filter(({ status }) => status === 503).length >= 20 : all.length > 3_000
    while (!isEnough() && performance.now() - began < 3 * PATIENCE_MS) await sleep(50)
    await load.end()
    const faults = [...(await judge(dataDir, all))]
    if (!isEnough()) faults.push('writes failed, and nothing was refused')
    return { faults, figures: { writeErrors: counts(all)['refused'] ?? 0 } }
  } finally {
    await load.end()
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function fill(path: string, folder: string): void {
  const { bavail, bsize } = statfsSync(folder)
  for (let bytes = bavail * bsize; bytes >= 4096; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      // Full at this size; the rest is filled in smaller pieces.
    }
  }
}

async function until(
  origin: string,
  key: string,
  isIt: (scored: Scored) => boolean,
): Promise<Scored | undefined> {
  const began = performance.now()
  while (performance.now() - began < PATIENCE_MS) {
    const scored = await scoreOnce(origin, key)
    if (isIt(scored)) return scored
    await sleep(20)
  }
  return undefined
}

async function judge(dataDir: string, all: readonly Scored[]): Promise<readonly string[]> {
  const faults: string[] = []
  const { store } = await openStore(dataDir, undefined)
  try {
    for (const { status, requestId, code } of all) {
      if (status === 0) faults.push('a connection broke')
      else if (status === 503 && code !== 'AUDIT_UNAVAILABLE' && code !== 'STORE_UNAVAILABLE')
        faults.push(`503 ${code ?? ''}`)
      else if (status === 200 && (await store.readAudit({ requestId, most: 1 })).length === 0)
        faults.push(`the score of ${requestId} has no row`)
    }
    return [...faults, ...(await verifyStore(store)).faults]
  } finally {
    await store.close()
  }
}

function counts(all: readonly Scored[]): Readonly<Record<string, number>> {
  return {
    scored: all.filter(({ status }) => status === 200).length,
    refused: all.filter(({ status }) => status === 503).length,
  }
}
