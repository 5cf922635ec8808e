/** Runs one seed on a PostgreSQL. As for `../run-seed.ts`, the thread is used for nothing else. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open.ts'
import { makeScratch } from '../disk.ts'
import type { SeedResult } from '../run-seed.ts'
import { SECRET } from '../service.ts'
import { World, enter } from '../world.ts'
import { useDatabase } from './client.ts'
import { RealConnections } from './connections.ts'
import { Database } from './database.ts'
import { POSTGRES_PLANTS } from './plants.ts'
import { PostgresScenario } from './scenario.ts'

/** The share of runs that begin with an empty database, and make the tables themselves. */
const EMPTY = 0.05

const scratch = makeScratch()
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
let runs = 0
let real: RealConnections | undefined
let hasTables = false

export async function runPostgresSeed(
  url: string,
  seed: number,
  plantName?: string,
  say: (line: string) => void = () => undefined,
): Promise<SeedResult> {
  const plant = plantName === undefined ? undefined : POSTGRES_PLANTS[plantName]
  const world = new World(seed)
  const folder = join(scratch, String(++runs))
  mkdirSync(folder)
  real ??= new RealConnections(url)
  const isEmpty = plant?.isFromEmpty ?? world.chance(EMPTY)
  if (isEmpty || !hasTables) await real.dropTables()
  if (!isEmpty && !hasTables) await (await openStore(join(scratch, 'first'), SECRET, url)).store.close()
  if (!isEmpty) await real.reset()
  hasTables = !isEmpty
  enter(world)
  const database = new Database(world, real, plant?.sql ?? ((text) => text))
  useDatabase(database)
  const remove = plant?.apply?.()
  let faults: readonly string[]
  try {
    faults = await new PostgresScenario(world, database, folder, say).run()
  } catch (error) {
    faults = [`the simulation itself: ${(error as Error).stack}`]
  } finally {
    remove?.()
    enter(undefined)
    useDatabase(undefined)
    await database.closeAll()
    rmSync(folder, { recursive: true, force: true })
  }
  return { seed, faults }
}

export async function endConnections(): Promise<void> {
  await real?.end()
  real = undefined
}
