/** `patient-risk keys`: makes, lists, replaces and revokes API keys. A key is shown once, when it is made. */
import { KeyManager, describeKey } from '../../store/keys/key-manager.ts'
import { DEFAULT_OVERLAP, KeyRuleError } from '../../store/keys/key-rules.ts'
import type { MadeKey, Reach } from '../../store/keys/keys.ts'
import type { Store } from '../../store/store.ts'
import { type Command, Refusal, UsageError, parseArguments, printOutput } from '../command.ts'
import { recordCommand, withStore } from '../with-store.ts'
import { keyTable } from './key-table.ts'

/** The command line has the data folder, and with it everything. */
const REACH: Reach = 'all'
const ONE_KEY = 'Name one key by its id, as in "keys list".'

export const keysCreate: Command = {
  help: `Usage: patient-risk keys create --name NAME [--deployment NAME …] [--outcomes] [--admin] [--expires 90d] [--json]

Options:
  --name NAME        who the key is for
  --deployment NAME  a deployment that the key may use; repeat for several (default: all of them)
  --outcomes         the key may also send outcomes for its deployments, and read what their counts show
  --admin            the key may use the management calls too; with --deployment it sees and makes only keys,
                     audit rows and figures of those deployments
  --expires TIME     how long the key is valid: 30m, 12h, 90d (default: no expiry)
  --requests N       requests a minute over all deployments, or "none" for no limit
  --records N        records a minute over all deployments, or "none" for no limit
  --json             print {"id":…,"key":…}

The key store is in DATA_DIR (default ./data) or at DATABASE_URL; a running service accepts the new key at once.`,
  run(args) {
    const { values } = parseArguments(args, {
      texts: ['name', 'expires', 'requests', 'records'],
      lists: ['deployment'],
      flags: ['admin', 'outcomes', 'json'],
    })
    const { name, deployment: deployments, admin, outcomes, expires } = values
    if (name === undefined) throw new UsageError('--name is required.')
    const limits = { requestsPerMinute: limitOf(values.requests), recordsPerMinute: limitOf(values.records) }
    return manage(async (keys, store) => {
      const made = await keys.create({ name, admin, outcomes, limits, deployments, expires }, REACH)
      await showKey(store, 'keys create', made, values.json)
    })
  },
}

export const keysList: Command = {
  help: `Usage: patient-risk keys list [--json]

Lists every key: id, name, what it may use, when it was made and last used, and when it expires.`,
  run(args) {
    const { values } = parseArguments(args, { flags: ['json'] })
    return manage(async (keys) => {
      const all = await keys.list(REACH)
      const none = 'There are no keys yet. Make one: patient-risk keys create --name NAME\n'
      printOutput(all.length === 0 ? none : keyTable(all), values.json && all.map(describeKey))
    })
  },
}

export const keysRotate: Command = {
  help: `Usage: patient-risk keys rotate ID [--overlap 24h] [--expires 90d] [--json]

Makes a key with the same name, scopes and limits, and shows it once. The old key still works for the overlap,
so that callers can change over without a gap.

Options:
  --overlap TIME  how long the old key still works: 0m, 30m, 24h (default ${DEFAULT_OVERLAP})
  --expires TIME  how long the new key is valid (default: as long as the old one was made for)
  --json          print {"id":…,"key":…}`,
  run(args) {
    const options = { texts: ['overlap', 'expires'], flags: ['json'] } as const
    const { values, only: id } = parseArguments(args, options, ONE_KEY)
    const { overlap, expires } = values
    return manage(async (keys, store) => {
      const made = await keys.rotate(id, { overlap, expires }, REACH)
      await showKey(store, 'keys rotate', made, values.json)
    })
  },
}

export const keysRevoke: Command = {
  help: `Usage: patient-risk keys revoke ID [--force]

Revokes a key for good. A running service refuses the key within a second; services that share a PostgreSQL, within five.

Options:
  --force  revoke it also if no other usable key could manage what it does`,
  run(args) {
    const { values, only: id } = parseArguments(args, { flags: ['force'] }, ONE_KEY)
    return manage(async (keys, store) => {
      await keys.revoke(id, REACH, values.force)
      await recordCommand(store, 'keys revoke', id)
      process.stdout.write(`Revoked key ${id}.\n`)
    })
  },
}

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
