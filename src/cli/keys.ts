/** `patient-risk keys`: makes and lists API keys. A key's written form is shown once, when it is made. */
import { makeKey } from '../store/keys.ts'
import { openStore } from '../store/open.ts'
import type { StoredKey } from '../store/store.ts'
import { type Command, UsageError, configOrFaults, readWords } from './command.ts'

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const NAME_LENGTH = 100

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Make an API key and show it once.',
  help: `Usage: patient-risk keys create --name NAME [--deployment NAME …] [--admin] [--expires 90d] [--json]

Options:
  --name NAME        who the key is for
  --deployment NAME  a deployment that the key may use; repeat for several (default: all of them)
  --admin            the key may use the management calls too
  --expires TIME     how long the key is good for: 30m, 12h, 90d (default: for ever)
  --json             print {"id":…,"key":…}

The key store lies in DATA_DIR (default ./data); a running service knows the new key at once.`,
  async run(words) {
    const { values } = readWords(words, {
      name: { type: 'string' },
      deployment: { type: 'string', multiple: true },
      admin: { type: 'boolean' },
      expires: { type: 'string' },
      json: { type: 'boolean' },
    })
    if (values.name === undefined || values.name.trim() === '') throw new UsageError('--name is required.')
    if (values.name.length > NAME_LENGTH)
      throw new UsageError(`--name has at most ${NAME_LENGTH} characters.`)
    const lifetimeMs = values.expires === undefined ? undefined : parseLifetime(values.expires)
    const config = configOrFaults()
    if (config === undefined) return 1
    const names = config.deployments.map(({ name }) => name)
    const unknown = (values.deployment ?? []).filter((name) => !names.includes(name))
    if (unknown.length > 0) {
      process.stderr.write(`There is no deployment ${unknown.join(', ')}. There are ${names.join(', ')}.\n`)
      return 1
    }
    const scopes = [...(values.deployment ?? ['*']), ...(values.admin === true ? ['admin'] : [])]
    const { store, secret } = await openStore(config.dataDir, config.keySecret)
    const now = Date.now()
    const expiresAt = lifetimeMs === undefined ? null : now + lifetimeMs
    const made = await makeKey(store, secret, { name: values.name, scopes, expiresAt }, now)
    await store.close()
    process.stdout.write(
      values.json === true
        ? `${JSON.stringify(made)}\n`
        : `Made key ${made.id}. It is shown once and never again:\n\n  ${made.key}\n`,
    )
    return 0
  },
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'List the API keys, without their secrets.',
  help: `Usage: patient-risk keys list [--json]

Lists every key: id, name, what it may use, when it was made, used last, and ends.`,
  async run(words) {
    const { values } = readWords(words, { json: { type: 'boolean' } })
    const config = configOrFaults()
    if (config === undefined) return 1
    const { store } = await openStore(config.dataDir, config.keySecret)
    const keys = await store.listKeys()
    await store.close()
    if (values.json === true) process.stdout.write(`${JSON.stringify(keys.map(publicParts))}\n`)
    else if (keys.length === 0)
      process.stdout.write('There are no keys yet. Make one: patient-risk keys create --name NAME\n')
    else process.stdout.write(table(keys))
    return 0
  },
}

function parseLifetime(text: string): number {
  const match = /^(\d{1,5})([mhd])$/.exec(text)
  const unit = UNIT_MS[match?.[2] ?? '']
  if (match === null || unit === undefined || Number(match[1]) === 0) {
    throw new UsageError('--expires takes a number and a unit: 30m, 12h or 90d.')
  }
  return Number(match[1]) * unit
}

function publicParts(key: StoredKey): Readonly<Record<string, unknown>> {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    created: isoTime(key.createdAt),
    expires: isoTime(key.expiresAt),
    revoked: isoTime(key.revokedAt),
    lastUsed: isoTime(key.lastUsedAt),
  }
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function table(keys: readonly StoredKey[]): string {
  const head = ['ID', 'NAME', 'MAY USE', 'MADE', 'LAST USED', 'ENDS']
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.scopes.map((scope) => (scope === '*' ? 'all deployments' : scope)).join(', '),
    minute(key.createdAt),
    key.lastUsedAt === null ? 'never' : minute(key.lastUsedAt),
    key.revokedAt !== null ? 'revoked' : key.expiresAt === null ? 'never' : minute(key.expiresAt),
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const print = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return `${[head, ...rows].map(print).join('\n')}\n`
}

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
