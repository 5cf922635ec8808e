/** The schema of the configuration file, and the file that holds where none is given. */
import Type from 'typebox'
import { CdsHooksSection, DeploymentCdsHooks, FhirSection } from './adapter-settings.ts'
import { ORIGIN_PATTERN, ServerSection } from './server-settings.ts'

const closed = { additionalProperties: false }
const count = (most: number, description: string): Type.TInteger =>
  Type.Integer({ minimum: 1, maximum: most, description })
const countOrNone = (most: number, description: string): Type.TUnion<[Type.TInteger, Type.TNull]> =>
  Type.Union([Type.Integer({ minimum: 1, maximum: most }), Type.Null()], { description })
const text = (description: string): Type.TString => Type.String({ minLength: 1, description })

const Limits = Type.Partial(
  Type.Object({
    bytes: count(1 << 30, 'Bytes of a body after decompression.'),
    records: count(1_000_000, 'Records of a body.'),
    depth: count(64, 'Nesting depth of a body.'),
    keysPerRecord: count(100_000, 'Keys of a record; a record with more is refused.'),
    lineBytes: count(1 << 26, 'Bytes of a line of a stream.'),
    requestsPerMinute: countOrNone(1_000_000_000, 'Requests a minute of a key; null: no limit.'),
    recordsPerMinute: countOrNone(1_000_000_000, 'Records a minute of a key; null: no limit.'),
  }),
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
    origins: Type.Array(Type.String({ pattern: ORIGIN_PATTERN }), {
      minItems: 1,
      description: 'Origins of web pages that may call this deployment, as in https://ward.example.org.',
    }),
  },
  closed,
)

export const DeploymentEntry = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9-]{0,62}$',
      description: 'Name of the deployment; keys name it.',
    }),
    basePath: Type.String({
      pattern: '^/([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*)?$',
      description: 'Path below which its calls lie.',
    }),
    model: text('Id of the model, or id@version.'),
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

const Access = {
  failedKeysPerMinute: count(1_000_000, 'Failed keys a minute before further failures are slowed down.'),
}
const Audit = {
  retentionDays: countOrNone(36_500, 'How many days rows are kept; null: for ever.'),
  anchorFile: text('File to which the service appends an anchor of the audit chain every day.'),
}
const Workbench = {
  idleLockMinutes: count(
    1_440,
    'After how many minutes without activity the page signs out; 15 where it is left out.',
  ),
}

export const CONFIG_SCHEMA = Type.Object(
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
    access: Type.Optional(Type.Partial(Type.Object(Access), closed)),
    audit: Type.Optional(Type.Partial(Type.Object(Audit), closed)),
    server: Type.Optional(ServerSection),
    fhir: Type.Optional(FhirSection),
    cdsHooks: Type.Optional(CdsHooksSection),
    workbench: Type.Optional(Type.Partial(Type.Object(Workbench), closed)),
    deployments: Type.Array(DeploymentEntry, { minItems: 1 }),
  },
  closed,
)

export type DeploymentSettings = Type.Static<typeof DeploymentEntry>
export type ConfigFile = Type.Static<typeof CONFIG_SCHEMA>

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
