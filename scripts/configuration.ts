/** `node scripts/configuration.ts`: writes docs/configuration.md from the schema of the configuration file. */
import { writeFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { CONFIG_SCHEMA } from '@patient-risk/catalog/config/schema'

export const CONFIGURATION_PAGE = 'docs/configuration.md'

export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly default?: unknown
}

const ENVIRONMENT = [
  ['`CONFIG`', 'the configuration file; without it three default deployments are served'],
  ['`HOST`, `PORT`', 'address and port (127.0.0.1 and 8080)'],
  ['`DATA_DIR`', 'folder of the store (`./data`)'],
  [
    '`DATABASE_URL`, `DATABASE_URL_FILE`',
    'PostgreSQL instead of the store in `DATA_DIR`, or a file that holds the address',
  ],
  [
    '`KEY_SECRET`, `KEY_SECRET_FILE`',
    'secret of the key digests, or a file that holds it (made and kept in `DATA_DIR`)',
  ],
  [
    '`KEY_SECRET_PREVIOUS`, `KEY_SECRET_PREVIOUS_FILE`',
    'the secret before that one, while it is [rotated](keys.md#rotate-the-secret)',
  ],
  [
    '`PROCESSES`, `WORKERS`',
    'processes that share the port (1), and threads for large bodies in each of them',
  ],
  ['`LOG_LEVEL`', 'trace, debug, info, warn, error, fatal or silent (info)'],
] as const

const INTRODUCTION = `This page is generated from the schema of the configuration file (\`node scripts/configuration.ts\`). An editor completes
the file when its first line names the schema: \`"$schema": "./node_modules/patient-risk/clinical/schema/config.schema.json"\`.
\`npx patient-risk check\` reports every fault of a file at once.`

export async function configurationPage(): Promise<string> {
  const text = [
    '# Configuration',
    INTRODUCTION,
    '## Environment',
    table(['variable', 'meaning (default)'], ENVIRONMENT),
    '## Configuration file',
    table(['setting', 'value', 'meaning (default)'], settingRows(CONFIG_SCHEMA as unknown as Schema)),
  ].join('\n\n')
  return format(text, { ...(await resolveConfig(CONFIGURATION_PAGE)), parser: 'markdown' })
}

/** A row for each setting: its place in the file, what it may hold, and what it means. */
export function settingRows(schema: Schema, path = ''): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const place = path === '' ? name : `${path}.${name}`
    const list = inner.items?.properties === undefined ? inner : inner.items
    if (list.properties !== undefined) return settingRows(list, list === inner ? place : `${place}[]`)
    const isRequired = schema.required?.includes(name) === true
    return [[`\`${place}\``, valueOf(inner), meaningOf(inner, isRequired)]]
  })
}

function valueOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((each) => `\`${each}\``).join(' or ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(valueOf).join(' or ')
  if (schema.type === 'array') return `list of ${valueOf(schema.items ?? {})}`
  return `${schema.type ?? 'any'}${rangeOf(schema)}`
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined && maximum === undefined) return ''
  if (minimum === undefined) return ` of at most ${print(maximum)}`
  if (maximum === undefined) return ` of at least ${print(minimum)}`
  return ` from ${print(minimum)} to ${print(maximum)}`
}

function meaningOf({ description = '', default: preset }: Schema, isRequired: boolean): string {
  const shown = preset === undefined ? '' : `(${Array.isArray(preset) ? 'none' : print(preset)})`
  return [description, isRequired ? 'Required.' : '', shown].filter((each) => each !== '').join(' ')
}

function print(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en') : String(value)
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

if (import.meta.main) writeFileSync(CONFIGURATION_PAGE, await configurationPage())
