/** Runs one seed. The thread that calls it must be used for nothing else: its clock, timers and files are those of the simulation. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/store/open.ts'
import { type Image, imageOf, makeScratch } from './disk.ts'
import { Machine, forgetThreads, useMachine } from './machine.ts'
import { type Plant, PLANTS } from './plants.ts'
import { Scenario } from './scenario.ts'
import { SECRET } from './service.ts'
import { World, enter } from './world.ts'

/** The share of runs that begin with an empty folder, and make the tables themselves. */
const EMPTY = 0.05

const scratch = makeScratch()
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
let filled: Image | undefined
let runs = 0

export interface SeedResult {
  readonly seed: number
  readonly faults: readonly string[]
}

/** Everything that goes wrong in a run; with a planted defect something should. */
export async function runSeed(
  seed: number,
  plantName?: string,
  say: (line: string) => void = () => undefined,
): Promise<SeedResult> {
  filled ??= await makeFilled()
  const plant: Plant | undefined = plantName === undefined ? undefined : PLANTS[plantName]
  const root = join(scratch, String(++runs))
  const world = new World(seed)
  enter(world)
  const machine = new Machine(world, root, world.chance(EMPTY) ? {} : filled)
  useMachine(machine, plant?.sql)
  const remove = plant?.apply?.()
  let faults: readonly string[]
  try {
    faults = await new Scenario(machine, say).run()
  } catch (error) {
    faults = [`the simulation itself: ${(error as Error).stack}`]
  } finally {
    remove?.()
    machine.closeAll()
    useMachine(undefined)
    forgetThreads()
    enter(undefined)
    rmSync(root, { recursive: true, force: true })
  }
  return { seed, faults }
}

/** The tables of a new store, so that most runs need not make them. */
async function makeFilled(): Promise<Image> {
  const folder = join(scratch, 'filled')
  const { store } = await openStore(folder, SECRET)
  await store.close()
  return imageOf(folder)
}
