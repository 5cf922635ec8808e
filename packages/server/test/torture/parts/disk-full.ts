/** Disk full: without room for the audit nothing is scored, and with room again the service goes on by itself. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../src/store/open.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { happensWithin } from '../../../../../test/support/until.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { type Scored, recordedIds, scoreOnce, startOn, underLoad } from '../store-process.ts'

const ROUNDS = 10
const CALLERS = 8
/** More than the rows of all rounds take: the ballast must fill the disk, because it can be removed. */
const DISK_BYTES = 256 * 1024 * 1024
/** Of 512 bytes: the file of the store soon needs more. */
const FILE_BLOCKS = 18_000
/** How much of that the store holds before it serves, so that no slow machine takes long to come to the limit. */
const FILLED_BYTES = 9_100_000
const PATIENCE_MS = 60_000
/** With the planted defect no refusal may come, so the wait is short. */
const PLANTED_PATIENCE_MS = 5_000
const WRITES_FAIL_MS = 300_000

export const part: Part = {
  name: 'disk-full',
  promise:
    'disk full and write errors: no score without an audit row, 503, back by itself once there is room',
  defect: 'an answer is given although its row could not be written',
  shortScale: 0.1,
  isTimed: true,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const plant = planted ? { plant: 'ignored-audit-errors' } : {}
  const errors = await writeErrors(plant)
  if (userInfo().uid !== 0) {
    say('without root no small disk can be mounted: write errors alone were tried')
    return errors
  }
  const full = await fullDisk(Math.ceil(ROUNDS * scale), randomFrom(seed), plant)
  return { faults: [...errors.faults, ...full.faults], figures: { ...errors.figures, ...full.figures } }
}

/** A separate disk that is filled and freed again. */
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
  const service = await startOn({ dataDir, isFirst: true, ...plant })
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
      // With the planted defect the service never refuses; its missing rows show it.
      const isPlanted = plant.plant !== undefined
      const patience = isPlanted ? PLANTED_PATIENCE_MS : PATIENCE_MS
      const answers = async (status: number): Promise<boolean> =>
        (await scoreOnce(service.origin, key)).status === status
      const isRefused = await happensWithin(patience, () => answers(503))
      if (!isRefused && !isPlanted) faults.push(`round ${round}: no 503 on a full disk`)
      await sleep(300)
      const isReady = async (): Promise<boolean> => (await fetch(`${service.origin}/health/ready`)).ok
      // The load goes on: a single row may still find room, so a moment is allowed.
      if (!isPlanted && !(await happensWithin(5_000, async () => !(await isReady()))))
        faults.push(`round ${round}: ready on a full disk`)
      rmSync(ballast)
      const freed = performance.now()
      const isBack = await happensWithin(PATIENCE_MS, () => answers(200))
      if (!isBack) faults.push(`round ${round}: not back once there was room`)
      if (isBack && !(await happensWithin(PATIENCE_MS, isReady)))
        faults.push(`round ${round}: not ready again`)
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
  await fillStore(dataDir)
  const service = await startOn({ dataDir, isFirst: true, fileBlocks: FILE_BLOCKS, ...plant })
  const key = service.key ?? ''
  const all: Scored[] = []
  const load = underLoad(
    CALLERS,
    () => ({ origin: service.origin, key }),
    (scored) => all.push(scored),
  )
  try {
    const isEnough = (): boolean =>
      plant.plant === undefined ? all.filter(({ status }) => status === 503).length >= 20 : all.length > 3_000
    await happensWithin(WRITES_FAIL_MS, isEnough)
    await load.end()
    const faults = [...(await judge(dataDir, all))]
    // With the planted defect the service never refuses, so it must be caught by its rows.
    if (!isEnough() && plant.plant === undefined) faults.push('writes failed, and nothing was refused')
    return { faults, figures: { writeErrors: counts(all)['refused'] ?? 0 } }
  } finally {
    await load.end()
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Ballast in the store's own file. The chain and its limits have no part in it. */
async function fillStore(dataDir: string): Promise<void> {
  const { store } = await openStore(dataDir, undefined)
  await store.close()
  const path = join(dataDir, 'patient-risk.sqlite')
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE ballast (bytes BLOB)')
  database.prepare('INSERT INTO ballast VALUES (zeroblob(?))').run(FILLED_BYTES - statSync(path).size)
  database.close()
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

async function judge(dataDir: string, all: readonly Scored[]): Promise<readonly string[]> {
  const faults: string[] = []
  const { store } = await openStore(dataDir, undefined)
  try {
    const recorded = await recordedIds(store)
    for (const { status, requestId, code } of all) {
      if (status === 0) faults.push('a connection broke')
      else if (status === 503 && code !== 'AUDIT_UNAVAILABLE' && code !== 'STORE_UNAVAILABLE')
        faults.push(`503 ${code ?? ''}`)
      else if (status === 200 && !recorded.has(requestId)) faults.push(`the score of ${requestId} has no row`)
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
