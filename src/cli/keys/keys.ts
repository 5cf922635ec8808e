/** `patient-risk keys`: makes, lists, replaces and revokes API keys. A key's written form is shown once, when it is made. */
import { describeKey } from '../../store/keys/describe-key.ts'
import { type MadeKey, makeKey, rotateKey } from '../../store/keys/keys.ts'
import { parseLifetime } from '../../store/keys/lifetime.ts'
import { type Command, UsageError, configOrFaults, readWords } from '../command.ts'
import { keyTable } from './key-table.ts'
import { recordCommand, storeTime, withStore } from '../with-store.ts'

const NAME_LENGTH = 100
const DEFAULT_OVERLAP = '24h'

export const keysCreate: Command = {
  help: `Usage: patient-risk keys create --name NAME [--deployment NAME …] [--admin] [--expires 90d] [--json]

Options:
  --name NAME        who the key is for
  --deployment NAME  a deployment that the key may use; repeat for several (default: all of them)
  --admin            the key may use the management calls too
  --expires TIME     how long the key is good for: 30m, 12h, 90d (default: for ever)
  --requests N       requests a minute over all deployments, or "none" for no limit
  --records N        records a minute over all deployments, or "none" for no limit
  --json             print {"id":…,"key":…}

The key store lies in DATA_DIR (default ./data) or at DATABASE_URL; a running service knows the new key at once.`,
  async run(words) {
    const { values } = readWords(words, {
      name: { type: 'string' },
      deployment: { type: 'string', multiple: true },
      admin: { type: 'boolean' },
      expires: { type: 'string' },
      requests: { type: 'string' },
      records: { type: 'string' },
      json: { type: 'boolean' },
    })
    const { name, deployment: named } = values
    if (name === undefined || name.trim() === '') throw new UsageError('--name is required.')
    if (name.length > NAME_LENGTH) throw new UsageError(`--name has at most ${NAME_LENGTH} characters.`)
    const lifetimeMs = values.expires === undefined ? undefined : readLifetime(values.expires, '--expires')
    const limits = {
      ...readLimit('requestsPerMinute', values.requests),
      ...readLimit('recordsPerMinute', values.records),
    }
    const config = configOrFaults()
    if (config === undefined) return 1
    const names = config.deployments.map((each) => each.name)
    const unknown = (named ?? []).filter((each) => !names.includes(each))
    if (unknown.length > 0) {
      process.stderr.write(`There is no deployment ${unknown.join(', ')}. There are ${names.join(', ')}.\n`)
      return 1
    }
    const scopes = [...(named ?? ['*']), ...(values.admin === true ? ['admin'] : [])]
    return withStore(config, async ({ store, secret }) => {
      const now = await storeTime(store)
      const expiresAt = lifetimeMs === undefined ? null : now + lifetimeMs
      const made = await makeKey(store, secret, { name, scopes, expiresAt, limits }, now)
      await recordCommand(store, 'keys create', made.id)
      showKey(made, values.json)
      return 0
    })
  },
}

export const keysList: Command = {
  help: `Usage: patient-risk keys list [--json]

Lists every key: id, name, what it may use, when it was made, used last, and ends.`,
  run(words) {
    const { values } = readWords(words, { json: { type: 'boolean' } })
    const config = configOrFaults()
    if (config === undefined) return Promise.resolve(1)
    return withStore(config, async ({ store }) => {
      const keys = await store.listKeys()
      if (values.json === true) process.stdout.write(`${JSON.stringify(keys.map(describeKey))}\n`)
      else if (keys.length === 0)
        process.stdout.write('There are no keys yet. Make one: patient-risk keys create --name NAME\n')
      else process.stdout.write(keyTable(keys))
      return 0
    })
  },
}

export const keysRotate: Command = {
  help: `Usage: patient-risk keys rotate ID [--overlap 24h] [--expires 90d] [--json]

Makes a key with the same name, scopes and limits, and shows it once. The old key ends after the overlap,
so that callers can change over without a gap.

Options:
  --overlap TIME  how long the old key goes on: 0m, 30m, 24h (default ${DEFAULT_OVERLAP})
  --expires TIME  how long the new key is good for (default: as long as the old one was made for)
  --json          print {"id":…,"key":…}`,
  async run(words) {
    const { values, positionals } = readWords(
      words,
      { overlap: { type: 'string' }, expires: { type: 'string' }, json: { type: 'boolean' } },
      true,
    )
    const id = onlyId(positionals)
    const overlapMs = readLifetime(values.overlap ?? DEFAULT_OVERLAP, '--overlap', 0)
    const lifetimeMs = values.expires === undefined ? undefined : readLifetime(values.expires, '--expires')
    const config = configOrFaults()
    if (config === undefined) return 1
    return withStore(config, async ({ store, secret }) => {
      const now = await storeTime(store)
      const old = await store.findKey(id)
      if (old === undefined) return noSuchKey(id)
      if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now)) {
        process.stderr.write(
          `Key ${id} is revoked or expired, so it has nothing to hand over. Make a new key.\n`,
        )
        return 1
      }
      const made = await rotateKey(store, secret, old, {
        now,
        overlapMs,
        ...(lifetimeMs === undefined ? {} : { expiresAt: now + lifetimeMs }),
      })
      await recordCommand(store, 'keys rotate', made.id)
      showKey(made, values.json)
      return 0
    })
  },
}

export const keysRevoke: Command = {
  help: `Usage: patient-risk keys revoke ID

A running service refuses the key within a second; services that share a PostgreSQL, within five.`,
  async run(words) {
    const { positionals } = readWords(words, {}, true)
    const id = onlyId(positionals)
    const config = configOrFaults()
    if (config === undefined) return 1
    return withStore(config, async ({ store }) => {
      if (!(await store.revokeKey(id, Date.now()))) return noSuchKey(id)
      await recordCommand(store, 'keys revoke', id)
      process.stdout.write(`Revoked key ${id}.\n`)
      return 0
    })
  },
}

function onlyId(positionals: readonly string[]): string {
  const [id, ...rest] = positionals
  if (id === undefined || rest.length > 0) throw new UsageError('Name one key by its id, as in "keys list".')
  return id
}

function noSuchKey(id: string): number {
  process.stderr.write(`There is no key ${id}. List them: patient-risk keys list\n`)
  return 1
}

function readLifetime(text: string, option: string, least = 1): number {
  const lifetimeMs = parseLifetime(text)
  if (lifetimeMs === undefined || lifetimeMs < least) {
    throw new UsageError(`${option} takes a number and a unit: 30m, 12h or 90d.`)
  }
  return lifetimeMs
}

function readLimit(name: string, text: string | undefined): Readonly<Record<string, number | null>> {
  if (text === undefined) return {}
  if (text === 'none') return { [name]: null }
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('A limit is a whole number from 1, or "none".')
  return { [name]: Number(text) }
}

function showKey(made: MadeKey, asJson: boolean | undefined): void {
  process.stdout.write(
    asJson === true
      ? `${JSON.stringify(made)}\n`
      : `Made key ${made.id}. It is shown once and never again:\n\n  ${made.key}\n`,
  )
}
