/** `patient-risk keys`: makes, lists, replaces and revokes API keys. A key is shown once, when it is made. */
import {
  KeyManager,
  describeKey,
  KeyRuleError,
  type MadeKey,
  type Reach,
  type Store,
} from '@patient-risk/server/store'
import { Refusal, UsageError, command, printOutput } from '../command.ts'
import { recordCommand, withStore } from '../with-store.ts'
import { keyTable } from './key-table.ts'

/** The command line has the data folder, and with it everything. */
const REACH: Reach = 'all'
const ONE_KEY = 'Name one key by its id, as in "keys list".'

export const keysCreate = command(
  {
    texts: ['name', 'expires', 'requests', 'records'],
    lists: ['deployment'],
    flags: ['admin', 'outcomes', 'json'],
    required: ['name'],
  },
  ({ deployment: deployments, requests, records, json, ...asked }) => {
    const limits = { requestsPerMinute: limitOf(requests), recordsPerMinute: limitOf(records) }
    return manage(async (keys, store) => {
      const made = await keys.create({ ...asked, limits, deployments }, REACH)
      await showKey(store, 'keys create', made, json)
    })
  },
)

export const keysList = command({ flags: ['json'] }, ({ json }) =>
  manage(async (keys) => {
    const all = await keys.list(REACH)
    const none = 'There are no keys yet. Make one: patient-risk keys create --name NAME\n'
    printOutput(all.length === 0 ? none : keyTable(all), json && all.map(describeKey))
  }),
)

export const keysRotate = command(
  { texts: ['overlap', 'expires'], flags: ['json'], operands: ONE_KEY },
  ({ json, ...asked }, [id = '']) =>
    manage(async (keys, store) => {
      const made = await keys.rotate(id, asked, REACH)
      await showKey(store, 'keys rotate', made, json)
    }),
)

export const keysRevoke = command({ flags: ['force'], operands: ONE_KEY }, ({ force }, [id = '']) =>
  manage(async (keys, store) => {
    await keys.revoke(id, REACH, force)
    await recordCommand(store, 'keys revoke', id)
    process.stdout.write(`Revoked key ${id}.\n`)
  }),
)

/** Runs a command on the keys. What breaks a rule is wrong usage; a deployment or key that cannot be used is refused. */
function manage(act: (keys: KeyManager, store: Store) => Promise<void>): Promise<number> {
  return withStore(async ({ store, secrets }, config) => {
    const deployments = config.deployments.map(({ name }) => name)
    try {
      await act(new KeyManager({ store, secrets, deployments, now: () => Date.now() }), store)
      return 0
    } catch (error) {
      if (!(error instanceof KeyRuleError)) throw error
      const { subject, message } = error
      if (subject === 'key last') throw new Refusal(`${message} To revoke it nevertheless, add --force.`)
      const isRefused = subject === 'deployment' || subject.startsWith('key ')
      throw isRefused ? new Refusal(message) : new UsageError(`--${subject}: ${message}`)
    }
  })
}

function limitOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  return text === 'none' ? null : Number(text)
}

async function showKey(store: Store, call: string, made: MadeKey, isJson?: boolean): Promise<void> {
  await recordCommand(store, call, made.id)
  printOutput(`Made key ${made.id}. It is shown once and never again:\n\n  ${made.key}\n`, isJson && made)
}
