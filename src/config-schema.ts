/** The schema of the configuration file, and the file that holds where none is given. */
import Type from 'typebox'
import { closed } from './definition/shape.ts'
import { Origins, ServerSection } from './server-settings.ts'

const none = { additionalProperties: false }
/** What holds where a setting is left out; nothing where it is undefined. */
const preset = (value: number | undefined): object => (value === undefined ? {} : { default: value })
const count = (maximum: number, description: string, otherwise?: number): Type.TInteger =>
  Type.Integer({ minimum: 1, maximum, description, ...preset(otherwise) })
type CountOrNone = Type.TUnion<[Type.TInteger, Type.TNull]>
const countOrNone = (maximum: number, description: string, otherwise?: number): CountOrNone =>
  Type.Union([Type.Integer({ minimum: 1, maximum }), Type.Null()], { description, ...preset(otherwise) })
const text = (description: string): Type.TString => Type.String({ minLength: 1, description })
const matching = (pattern: string, description: string): Type.TString => Type.String({ pattern, description })
const share = (description: string): Type.TOptional<Type.TNumber> =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))

const MIB = 1024 * 1024

export const Limits = Type.Object({
  bytes: count(1 << 30, 'Bytes of a body after decompression.', 16 * MIB),
  records: count(1_000_000, 'Records of a body.', 10_000),
  depth: count(64, 'Nesting depth of a body.', 8),
  keysPerRecord: count(100_000, 'Keys of a record; a record with more is refused.', 1_024),
  lineBytes: count(1 << 26, 'Bytes of a line of a stream.', MIB),
  requestsPerMinute: countOrNone(1_000_000_000, 'Requests a minute of a key; null: no limit.', 6_000),
  recordsPerMinute: countOrNone(1_000_000_000, 'Records a minute of a key; null: no limit.', 5_000_000),
})

const Retirement = closed({
  deprecated: Type.String({ description: 'Since when, or from when, as an ISO date.' }),
  sunset: Type.Optional(Type.String({ description: 'When it will be gone, as an ISO date.' })),
})

const Cors = closed({
  origins: Origins('Origins of web pages that may call this deployment, as in https://ward.example.org.', {
    minItems: 1,
  }),
})

const FhirSection = closed({
  enabled: Type.Optional(Type.Boolean({ description: 'Whether FHIR is served; true where absent.' })),
  mapping: Type.Optional(text('A mapping file of your own. Its entries replace those of the package.')),
})

const Issuer = closed({
  issuer: text('The claim iss of its tokens.'),
  key: matching('^[0-9A-Za-z]+$', 'The id of the API key whose scopes and limits it gets.'),
  jwks: Type.Optional(text('A file with its public keys (JWK Set).')),
  jwksUrl: Type.Optional(matching('^https://', 'Where its public keys are fetched.')),
})

const CdsHooksSection = closed({
  origins: Type.Optional(Origins('Origins of web pages that may call the CDS services.')),
  issuers: Type.Optional(
    Type.Array(Issuer, { description: 'Calling systems whose signed tokens are accepted.' }),
  ),
})

/** A deployment with this section is a CDS service. */
const DeploymentCdsHooks = closed({
  hooks: Type.Array(Type.Enum(['patient-view', 'encounter-discharge']), { minItems: 1, uniqueItems: true }),
  showFrom: share('Lower risks give no card.'),
  warnFrom: share("Risks from which a card is a warning; the model's own threshold where absent."),
  criticalFrom: share('Risks from which a card is critical; never where absent.'),
})

export const DeploymentEntry = closed({
  name: matching('^[a-z][a-z0-9-]{0,62}$', 'Name of the deployment; keys name it.'),
  basePath: matching('^/([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*)?$', 'Path below which its calls lie.'),
  model: text('Id of the model, or id@version.'),
  output: Type.Enum(['number', 'yes-no'], { description: 'What `risk` is in an answer.' }),
  threshold: share('From which risk on the answer is Yes.'),
  unknownFields: Type.Optional(Type.Enum(['ignore', 'report'])),
  units: Type.Optional(
    Type.Record(Type.String(), Type.String({ minLength: 1 }), {
      description: 'The unit in which a field is received, as in {"haemoglobin": "mmol/L"}.',
    }),
  ),
  limits: Type.Optional(Type.Partial(Limits, none)),
  retirement: Type.Optional(Retirement),
  cors: Type.Optional(Cors),
  cdsHooks: Type.Optional(DeploymentCdsHooks),
  reader: Type.Optional(
    Type.Enum(['bytes', 'reference'], {
      description: 'How records are read. Both give the same answers; `bytes`, the default, is faster.',
    }),
  ),
})

const Access = Type.Object({
  failedKeysPerMinute: count(1_000_000, 'Failed keys a minute before further failures are slowed down.'),
})
const Audit = Type.Object({
  retentionDays: countOrNone(36_500, 'How many days rows are kept; null: for ever.'),
  anchorFile: text('File to which the service appends an anchor of the audit chain every day.'),
})
const Workbench = Type.Object({
  idleLockMinutes: count(
    1_440,
    'After how many minutes without activity the page signs out; 15 where it is left out.',
  ),
})

export const CONFIG_SCHEMA = closed({
  $schema: Type.Optional(Type.String({ description: 'The schema of this file, for editors.' })),
  clinical: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: 'Folders with further scales and models.' }),
  ),
  timeZone: Type.Optional(
    Type.String({
      description: 'Zone whose calendar decides what lies in the future, as in Europe/Madrid.',
    }),
  ),
  access: Type.Optional(Type.Partial(Access, none)),
  audit: Type.Optional(Type.Partial(Audit, none)),
  server: Type.Optional(ServerSection),
  fhir: Type.Optional(FhirSection),
  cdsHooks: Type.Optional(CdsHooksSection),
  workbench: Type.Optional(Type.Partial(Workbench, none)),
  deployments: Type.Array(DeploymentEntry, { minItems: 1 }),
})

export type TrustedIssuer = Type.Static<typeof Issuer>
export type DeploymentHooks = Type.Static<typeof DeploymentCdsHooks>
export type CdsHooksSettings = Type.Static<typeof CdsHooksSection>
export type Limits = Readonly<Type.Static<typeof Limits>>
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
