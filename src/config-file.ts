/** What the configuration file may say, and the check that proves it sound. */
import { isIP } from 'node:net'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { hasShape } from './definition/check/check-shape.ts'
import type { FaultList } from './definition/fault.ts'
import { CdsHooksSection, DeploymentCdsHooks, FhirSection } from './adapter-settings.ts'
import { nearNames } from './definition/near-names.ts'
import { ServerSection } from './server-settings.ts'

const closed = { additionalProperties: false }
const count = (most: number, description: string): Type.TOptional<Type.TInteger> =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, description }))

const countOrNone = (
  most: number,
  description: string,
): Type.TOptional<Type.TUnion<[Type.TInteger, Type.TNull]>> =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: most }), Type.Null()], { description }))

const Limits = Type.Object(
  {
    bytes: count(1 << 30, 'Bytes of a body after decompression.'),
    records: count(1_000_000, 'Records of a body.'),
    depth: count(64, 'Nesting depth of a body.'),
    keysPerRecord: count(100_000, 'Keys of a record; a record with more is refused.'),
    lineBytes: count(1 << 26, 'Bytes of a line of a stream.'),
    requestsPerMinute: countOrNone(1_000_000_000, 'Requests a minute of a key; null: no limit.'),
    recordsPerMinute: countOrNone(1_000_000_000, 'Records a minute of a key; null: no limit.'),
  },
  closed,
)

const Retirement = Type.Object(
  {
    deprecated: Type.String({ description: 'Since when, or from when, as an ISO date.' }),
    sunset: Type.Optional(Type.String({ description: 'When it will be gone, as an ISO date.' })),
  },
  closed,
)

const Cors = Type.Object(
  {
    origins: Type.Array(Type.String({ pattern: '^https?://[^/?#@\\s]+$' }), {
      minItems: 1,
      description: 'Origins of web pages that may call this deployment, as in https://ward.example.org.',
    }),
  },
  closed,
)

const DeploymentEntry = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9-]{0,62}$',
      description: 'Name of the deployment; keys name it.',
    }),
    basePath: Type.String({
      pattern: '^/([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*)?$',
      description: 'Path below which its calls lie.',
    }),
    model: Type.String({ minLength: 1, description: 'Id of the model, or id@version.' }),
    output: Type.Enum(['number', 'yes-no'], { description: 'What `risk` is in an answer.' }),
    threshold: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'From which risk on the answer is Yes.' }),
    ),
    unknownFields: Type.Optional(Type.Enum(['ignore', 'report'])),
    units: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), {
        description: 'The unit in which a field is received, as in {"haemoglobin": "mmol/L"}.',
      }),
    ),
    limits: Type.Optional(Limits),
    retirement: Type.Optional(Retirement),
    cors: Type.Optional(Cors),
    cdsHooks: Type.Optional(DeploymentCdsHooks),
    reader: Type.Optional(
      Type.Enum(['bytes', 'reference'], {
        description: 'How records are read. Both give the same answers; `bytes`, the default, is faster.',
      }),
    ),
  },
  closed,
)

const Access = Type.Object(
  { failedKeysPerMinute: count(1_000_000, 'Failed keys a minute before further failures are slowed down.') },
  closed,
)

const Audit = Type.Object(
  {
    retentionDays: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
        description: 'How many days rows are kept; null: for ever.',
      }),
    ),
    anchorFile: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'File to which the service appends an anchor of the audit chain every day.',
      }),
    ),
  },
  closed,
)

const Workbench = Type.Object(
  {
    idleLockMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_440,
        description: 'After how many minutes without activity the page signs out; 15 where it is left out.',
      }),
    ),
  },
  closed,
)

const File = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'The schema of this file, for editors.' })),
    clinical: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'Folders with further scales and models.' }),
    ),
    timeZone: Type.Optional(
      Type.String({
        description: 'Zone whose calendar decides what lies in the future, as in Europe/Madrid.',
      }),
    ),
    access: Type.Optional(Access),
    audit: Type.Optional(Audit),
    server: Type.Optional(ServerSection),
    fhir: Type.Optional(FhirSection),
    cdsHooks: Type.Optional(CdsHooksSection),
    workbench: Type.Optional(Workbench),
    deployments: Type.Array(DeploymentEntry, { minItems: 1 }),
  },
  closed,
)

export type DeploymentSettings = Type.Static<typeof DeploymentEntry>
export type ConfigFile = Type.Static<typeof File>
export const CONFIG_SCHEMA = File

/** What a start without a file serves: readmission as a number and as Yes or No, and mortality from PROFUND. */
export const DEFAULT_FILE: ConfigFile = {
  deployments: [
    {
      name: 'readmission',
      basePath: '/',
      model: 'readmission30',
      output: 'number',
      cdsHooks: { hooks: ['patient-view', 'encounter-discharge'] },
    },
    {
      name: 'readmission-flag',
      basePath: '/flag',
      model: 'readmission30',
      output: 'yes-no',
      threshold: 0.15,
    },
    { name: 'mortality', basePath: '/mortality', model: 'profund', output: 'number' },
  ],
}

/** Paths of the service itself, which no deployment may cover. */
const TAKEN_PATHS = [
  '/health',
  '/docs',
  '/openapi.json',
  '/metrics',
  '/admin',
  '/deployments',
  '/workbench',
  '/cds-services',
]

export function checkConfigFile(value: unknown, faults: FaultList): ConfigFile | undefined {
  suggestNames(File as ObjectSchema, value, '', faults)
  hasShape(File, value, faults)
  const file = wellShapedParts(value)
  if (file.timeZone !== undefined && !isTimeZone(file.timeZone)) {
    faults.add('/timeZone', 'time-zone', 'is not a known time zone; write it as in Europe/Madrid')
  }
  checkProxies(file, faults)
  checkIssuers(file, faults)
  file.deployments.forEach((deployment, index) => {
    const path = `/deployments/${index}`
    checkDuplicate(file, index, 'name', path, faults)
    checkDuplicate(file, index, 'basePath', path, faults)
    if (deployment.name === 'admin')
      faults.add(`${path}/name`, 'taken', 'is the scope of the management calls')
    if (
      TAKEN_PATHS.some(
        (taken) => deployment.basePath === taken || deployment.basePath?.startsWith(`${taken}/`) === true,
      )
    ) {
      faults.add(`${path}/basePath`, 'base-path', 'is an address of the service itself')
    }
    if (deployment.output === 'number' && deployment.threshold !== undefined) {
      faults.add(`${path}/threshold`, 'threshold', 'only a yes-no deployment has a threshold')
    }
    for (const key of ['deprecated', 'sunset'] as const) {
      const date = deployment.retirement?.[key]
      if (date !== undefined && Number.isNaN(Date.parse(date))) {
        faults.add(`${path}/retirement/${key}`, 'date', 'is not a date; write it as in 2027-01-31')
      }
    }
  })
  return faults.faults.length === 0 ? (value as ConfigFile) : undefined
}

export interface ConfigParts extends Partial<Omit<ConfigFile, 'deployments'>> {
  readonly deployments: readonly Partial<DeploymentSettings>[]
}

/** The settings that have the right shape. They are checked further, even if others do not have it. */
export function wellShapedParts(value: unknown): ConfigParts {
  const { deployments } = (value ?? {}) as { deployments?: unknown }
  const entries: readonly unknown[] = Array.isArray(deployments) ? deployments : []
  return {
    ...wellShaped(File as ObjectSchema, value),
    deployments: entries.map((each) => wellShaped(DeploymentEntry as ObjectSchema, each)),
  }
}

function wellShaped(schema: ObjectSchema, value: unknown): object {
  const isKnown = ([name, inner]: [string, unknown]): boolean => {
    const known = schema.properties?.[name]
    return known !== undefined && Value.Check(known, inner)
  }
  return Object.fromEntries(Object.entries(value ?? {}).filter(isKnown))
}

interface ObjectSchema extends Type.TSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>
  readonly items?: ObjectSchema
}

/** For every property that does not exist: the nearest one that does. */
function suggestNames(schema: ObjectSchema, value: unknown, path: string, faults: FaultList): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined)
      value.forEach((each, index) => suggestNames(items, each, `${path}/${index}`, faults))
    return
  }
  const { properties } = schema
  if (typeof value !== 'object' || value === null || properties === undefined) return
  for (const [name, inner] of Object.entries(value)) {
    const known = properties[name]
    if (known !== undefined) suggestNames(known, inner, `${path}/${name}`, faults)
    else {
      const [near] = nearNames(name, Object.keys(properties))
      if (near !== undefined)
        faults.add(`${path}/${name}`, 'unknown', `is not known; did you mean "${near}"?`)
    }
  }
}

function checkProxies(file: ConfigParts, faults: FaultList): void {
  file.server?.trustedProxies?.forEach((proxy, index) => {
    const [address = '', bits, more] = proxy.split('/')
    const family = isIP(address)
    const isNetwork =
      bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
    if (family === 0 || !isNetwork || more !== undefined) {
      faults.add(
        `/server/trustedProxies/${index}`,
        'address',
        'is not an address; write it as in 10.0.0.7 or 10.0.0.0/8',
      )
    }
  })
}

/** A token is made for one address, so the service must know its own. */
function checkIssuers({ cdsHooks, server }: ConfigParts, faults: FaultList): void {
  cdsHooks?.issuers?.forEach(({ jwks, jwksUrl }, index) => {
    const path = `/cdsHooks/issuers/${index}`
    if ((jwks === undefined) === (jwksUrl === undefined))
      faults.add(path, 'jwks', 'needs one of jwks and jwksUrl')
    if ((server?.origins ?? []).length === 0)
      faults.add(path, 'origins', 'needs server.origins: the address for which tokens are made')
  })
}

function checkDuplicate(
  file: ConfigParts,
  index: number,
  key: 'name' | 'basePath',
  path: string,
  faults: FaultList,
): void {
  const own = file.deployments[index]?.[key]
  const first = file.deployments.findIndex((other) => other[key] === own)
  if (own !== undefined && first < index)
    faults.add(`${path}/${key}`, 'taken', `is the same as in /deployments/${first}`)
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
