/** `patient-risk keys`: makes, lists, replaces and revokes API keys. A key is shown once, when it is made. */
import {
  type AuditEntry,
  KeyManager,
  describeKey,
  KeyRuleError,
  type MadeKey,
  type Reach,
} from '@patient-risk/server/store'
import type { Domains } from 'patient-risk-engine/definition'
import { loadOrRefusal } from '../catalog/load-catalog.ts'
import { codesIn } from '../codes-file.ts'
import { Refusal, UsageError, command, printNote, printOutput } from '../command.ts'
import { commandRow, withStore } from '../with-store.ts'
import { keyTable } from './key-table.ts'

/** The command line has the data folder, and with it everything. */
const REACH: Reach = 'all'
const ONE_KEY = 'Name one key by its id, as in "keys list".'

export const keysCreate = command(
  {
    texts: ['name', 'expires', 'requests', 'records', 'codes'],
    lists: ['deployment'],
    flags: ['admin', 'outcomes', 'json'],
    required: ['name'],
  },
  ({ deployment: deployments, requests, records, json, codes: codesFile, ...asked }) => {
    const limits = { requestsPerMinute: limitOf(requests), recordsPerMinute: limitOf(records) }
    const codes = codesFile === undefined ? undefined : codesIn(codesFile)
    // Most keys have no codes, and are made without reading all clinical files.
    const domains = codes === undefined ? undefined : loadOrRefusal().catalog.domains
    return manage(async (keys) => {
      const request = { ...asked, limits, deployments, codes }
      const row = rowOf('keys create')
      const { warnings = [], ...made } = await keys.create(request, REACH, row)
      for (const warning of warnings) printNote(`${warning}.`)
      showKey(made, json)
    }, domains)
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
    manage(async (keys) => {
      showKey(await keys.rotate(id, asked, REACH, rowOf('keys rotate')), json)
    }),
)

export const keysRevoke = command({ flags: ['force'], operands: ONE_KEY }, ({ force }, [id = '']) =>
  manage(async (keys) => {
    await keys.revoke(id, REACH, force, rowOf('keys revoke'))
    process.stdout.write(`Revoked key ${id}.\n`)
  }),
)

/** Runs a command on the keys. What breaks a rule is wrong usage; a deployment or key that cannot be used is refused. */
function manage(act: (keys: KeyManager) => Promise<void>, domains: Domains = new Map()): Promise<number> {
  return withStore(async ({ store, secrets }, config) => {
    const deployments = config.deployments.map(({ name }) => name)
    try {
      await act(new KeyManager({ store, secrets, deployments, domains, now: () => Date.now() }))
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

/** The row is stored with the change of the key: both or neither. */
function rowOf(call: string): (changed: { readonly id: string }) => AuditEntry {
  return ({ id }) => commandRow(call, id)
}

function showKey(made: MadeKey, isJson?: boolean): void {
  printOutput(`Made key ${made.id}. It is shown once and never again:\n\n  ${made.key}\n`, isJson && made)
}
