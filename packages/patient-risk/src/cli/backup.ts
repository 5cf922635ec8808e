/** `patient-risk backup` and `restore`: copies of the store in the data folder and of its key secret, made while the service runs. */
import { chmodSync, copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '@patient-risk/catalog/config'
import { makeFolders } from '@patient-risk/runtime'
import {
  type OpenStore,
  PREVIOUS_SECRET_FILE,
  SECRET_FILE,
  STORE_FILE,
  verifyStore,
} from '@patient-risk/server/store'
import { Refusal, command, configOrRefusal, printOutput } from './command.ts'
import { lossOf, withStore } from './with-store.ts'

const OWNER_ONLY = 0o600
const ONE_FOLDER = { operands: 'Name one folder.' }
const POSTGRES = `The store is a PostgreSQL (DATABASE_URL), which has its own tools:

  pg_dump --format=custom "$DATABASE_URL" > patient-risk.dump
  pg_restore --single-transaction --dbname "$DATABASE_URL" patient-risk.dump     into an empty database

Keep KEY_SECRET with the dump: without it no key works.`

export const backup = command(ONE_FOLDER, (_values, [folder = '']) => {
  const config = configOrRefusal()
  prepareCopy(config, config.dataDir, folder, 'Give each backup a folder of its own.')
  const database = new DatabaseSync(join(config.dataDir, STORE_FILE), { timeout: 10_000 })
  database.prepare('VACUUM INTO ?').run(join(folder, STORE_FILE))
  database.close()
  finishCopy(config.dataDir, folder)
  return printOutput(`Backed up to ${folder}.\n`)
})

export const restore = command(ONE_FOLDER, (_values, [folder = '']) => {
  const config = configOrRefusal()
  const hint = 'Move the old data folder away, or set DATA_DIR to an empty one.'
  prepareCopy(config, folder, config.dataDir, hint)
  copyFileSync(join(folder, STORE_FILE), join(config.dataDir, STORE_FILE))
  finishCopy(folder, config.dataDir)
  const work = async (open: OpenStore): Promise<number> => {
    const { store } = open
    const { rows, faults } = await verifyStore(store)
    const loss = await lossOf(open)
    const keys = (await store.listKeys()).length
    if (faults.length > 0) throw new Refusal(`${faults.join('\n')}\nRestored, but the audit is not intact.`)
    printOutput(`Restored to ${config.dataDir}: ${keys} keys, ${rows} audit rows, intact.\n`)
    if (loss !== undefined) throw new Refusal(`${loss} To start with it: patient-risk audit accept-loss`)
    return 0
  }
  return withStore(work, config, { isAnyState: true })
})

/** Refuses where a store cannot be copied from one folder to another; otherwise makes the target folder. */
function prepareCopy({ databaseUrl }: Config, from: string, to: string, hint: string): void {
  const source = join(from, STORE_FILE)
  const target = join(to, STORE_FILE)
  if (databaseUrl !== undefined) throw new Refusal(POSTGRES)
  if (!existsSync(source)) throw new Refusal(`There is no ${source}.`)
  if (existsSync(target)) throw new Refusal(`${target} exists already. ${hint}`)
  makeFolders(to, 0o700)
}

/** The copies belong to their owner only. There is no secret where KEY_SECRET is set. */
function finishCopy(from: string, to: string): void {
  chmodSync(join(to, STORE_FILE), OWNER_ONLY)
  for (const name of [SECRET_FILE, PREVIOUS_SECRET_FILE].filter((each) => existsSync(join(from, each)))) {
    copyFileSync(join(from, name), join(to, name))
    chmodSync(join(to, name), OWNER_ONLY)
  }
}
