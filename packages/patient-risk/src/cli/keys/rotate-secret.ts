/** `patient-risk keys rotate-secret`: replaces the secret of the key digests step by step, so that every key keeps working. */
import type { Config } from '@patient-risk/catalog/config'
import { fingerprintOf } from '@patient-risk/runtime'
import {
  type OpenStore,
  dropPreviousSecret,
  renewSecret,
  isUsable,
  type Store,
  type StoredKey,
} from '@patient-risk/server/store'
import { Refusal, UsageError, command, printOutput } from '../command.ts'
import { recordCommand, withStore } from '../with-store.ts'
import { keyTable } from './key-table.ts'

const CALL = 'keys rotate-secret'
const SET_SECRETS = `The secret is in KEY_SECRET, so it is changed there, for every process of the service:

  1. Set KEY_SECRET_PREVIOUS to the present secret, and KEY_SECRET to a new one (openssl rand -hex 32).
  2. Restart every process.
  3. Run this command again with the same two settings.`

export const keysRotateSecret = command({ flags: ['end', 'force'] }, ({ end: isEnd, force }) => {
  if (force === true && isEnd !== true) throw new UsageError('--force is for --end.')
  return withStore(async (open, config) => {
    const text = isEnd === true ? await end(open, config, force) : await goOn(open, config)
    return printOutput(`${text}\n`)
  })
})

/** The next step of a rotation, or its state. */
async function goOn({ store, secrets }: OpenStore, { dataDir, keySecret }: Config): Promise<string> {
  if (!secrets.isRotating) {
    if (keySecret !== undefined) throw new Refusal(SET_SECRETS)
    renewSecret(dataDir)
    await recordCommand(store, CALL, 'made')
    return 'Made a new secret beside the old one. Restart every process of the service, then run this command again.'
  }
  const newest = fingerprintOf(secrets.all[0] as Uint8Array)
  if (secrets.fingerprint !== newest) {
    await store.replaceSecret(secrets.fingerprint, newest)
    await recordCommand(store, CALL, 'in use')
  }
  const left = await keysOfOthers(store, newest)
  const state = 'The new secret is in use.'
  if (left.length === 0)
    return `${state} Every usable key has moved to it. End the rotation: patient-risk ${CALL} --end`
  return `${state} These keys move to it with their next use:\n\n${keyTable(left)}`
}

async function end({ store, secrets }: OpenStore, config: Config, isForced = false): Promise<string> {
  if (!secrets.isRotating) throw new Refusal('No rotation is under way: there is one secret.')
  if (secrets.inUse !== secrets.all[0])
    throw new Refusal(`The new secret is not in use yet. Put it into use: patient-risk ${CALL}`)
  const left = await keysOfOthers(store, secrets.fingerprint)
  if (left.length > 0 && !isForced)
    throw new Refusal(
      `${keyTable(left)}\nThese keys need the old secret. Replace or revoke them, wait for their next use, or add --force.`,
    )
  // What was sealed with the old secret gets its place while this process still has it.
  await store.chainEnds()
  const isGiven = config.keySecret !== undefined
  if (!isGiven) dropPreviousSecret(config.dataDir)
  await recordCommand(store, CALL, 'ended')
  return isGiven
    ? 'The old secret is not needed any more. Remove KEY_SECRET_PREVIOUS, and restart every process of the service.'
    : 'Removed the old secret. Restart every process of the service when it suits you: until then it still has it.'
}

/** Usable keys whose digest was made with another secret than this one. */
async function keysOfOthers(store: Store, fingerprint: string): Promise<readonly StoredKey[]> {
  const now = Math.max(Date.now(), await store.latestTime())
  return (await store.listKeys()).filter((key) => isUsable(key, now) && key.secretFingerprint !== fingerprint)
}
