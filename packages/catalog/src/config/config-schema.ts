/** The schema of the configuration file. `config-defaults.ts` has the defaults. */
import Type from 'typebox'
import { closed, maybe, recordOf, some } from '../schemas/shape.ts'

const none = { additionalProperties: false }
/** Options of a section in which every setting may be left out. */
const section = { ...none, default: {} }
const count = (maximum: number, description: string, otherwise?: number, minimum = 1): Type.TInteger =>
  Type.Integer({ minimum, maximum, description, default: otherwise })
type CountOrNone = Type.TUnion<[Type.TInteger, Type.TNull]>
const countOrNone = (maximum: number, description: string, otherwise?: number): CountOrNone =>
  Type.Union([Type.Integer({ minimum: 1, maximum }), Type.Null()], { description, default: otherwise })
const filled = Type.String({ minLength: 1 })
const text = (description: string): Type.TString => Type.String({ minLength: 1, description })
const matching = (pattern: string, description: string): Type.TString => Type.String({ pattern, description })
const share = (description: string): Type.TOptional<Type.TNumber> =>
  maybe(Type.Number({ minimum: 0, maximum: 1 }), description)

const MIB = 1024 * 1024
const HOUR_MS = 3_600_000

const Limits = Type.Object({
  bytes: count(1 << 30, 'Bytes of a body after decompression.', 16 * MIB),
  records: count(1_000_000, 'Records of a body.', 10_000),
  depth: count(64, 'Nesting depth of a body.', 8),
  keysPerRecord: count(100_000, 'Keys of a record; a record with more is refused.', 1_024),
  lineBytes: count(1 << 26, 'Bytes of one line of a stream.', MIB),
  requestsPerMinute: countOrNone(1_000_000_000, 'Requests a minute of a key; null: no limit.', 6_000),
  recordsPerMinute: countOrNone(1_000_000_000, 'Records a minute of a key; null: no limit.', 5_000_000),
})

const Retirement = closed({
  deprecated: Type.String({ description: 'When it was or will be deprecated, as an ISO date.' }),
  sunset: maybe(Type.String(), 'When it will be removed, as an ISO date.'),
})

const Origins = (description: string, more: object = {}): Type.TArray<Type.TString> =>
  Type.Array(Type.String({ pattern: '^https?://[^/?#@\\s]+$' }), { ...more, description })

const Cors = closed({
  origins: Origins('Origins of web pages that may call this deployment, such as https://ward.example.org.', {
    minItems: 1,
  }),
})

const Backend = closed({
  clientId: text('The id under which the server knows this service.'),
  key: text('A file with the private key as a JWK with a kid: RSA of at least 2,048 bits, or P-384.'),
  scope: maybe(text('What the token must permit; reading each type that models use where absent.')),
  tokenUrl: maybe(text("Where tokens are given, if not on the server's own origin.")),
  deployments: Type.Array(filled, {
    minItems: 1,
    description: 'The deployments whose callers may name patients of the server.',
  }),
})

const FHIR_BASE = '^https?://[^?#@\\s]+$'

const FhirServer = closed({
  url: matching(FHIR_BASE, 'The base address of the server, such as https://fhir.example.org/r4.'),
  aliases: maybe(
    Type.Array(Type.String({ pattern: FHIR_BASE })),
    'Other base addresses that the server writes for itself, as in the link to a next page. Only url is called.',
  ),
  internal: maybe(Type.Boolean(), 'Whether it may have a private address, and may be called without TLS.'),
  backend: maybe(Backend, 'How the service signs in for $score: SMART Backend Services.'),
})

const FhirSection = closed({
  enabled: maybe(Type.Boolean(), 'Whether FHIR is served; true where absent.'),
  mapping: maybe(text('A mapping file of your own. Its entries replace those of the package.')),
  servers: maybe(Type.Array(FhirServer), 'FHIR servers that the service may fetch from; none where absent.'),
})

const Issuer = closed({
  issuer: text('The claim iss of its tokens.'),
  key: matching('^[0-9A-Za-z]+$', 'The id of the API key whose scopes and limits it gets.'),
  jwks: maybe(text('A file with its public keys (JWK Set).')),
  jwksUrl: maybe(matching('^https://', 'Where its public keys are fetched.')),
})

const CdsHooksSection = closed({
  origins: maybe(Origins('Origins of web pages that may call the CDS services.')),
  issuers: maybe(Type.Array(Issuer), 'Calling systems whose signed tokens are accepted.'),
})

/** A deployment with this section is a CDS service. */
const DeploymentCdsHooks = closed({
  hooks: Type.Array(Type.Enum(['patient-view', 'encounter-discharge']), {
    minItems: 1,
    uniqueItems: true,
    description: 'The hooks that the deployment answers.',
  }),
  showFrom: share('Lower risks give no card; every risk gives one where absent.'),
  warnFrom: share("Risks from which a card is a warning; the model's own threshold where absent."),
  criticalFrom: share('Risks from which a card is critical; never where absent.'),
})

const Shadow = closed({
  model: text('Id of the second model, or id@version.'),
  share: share('Share of the bodies whose records it scores too; 1, all, where absent.'),
  budgetMs: maybe(
    Type.Integer({ minimum: 1, maximum: 1_000 }),
    'Milliseconds of processor time a second that it may take in each process; 20 where absent.',
  ),
})

/** Outcomes are counted without it too; then there is no alarm, and they have no groups. */
const Outcomes = closed({
  horizonDays: count(
    // Ten years with their leap days: the longest horizon of a card.
    3_653,
    'Days after which an outcome is known: those of the card of the model, such as 30 for readmission within 30 days.',
  ),
  reportingDays: maybe(
    Type.Integer({ minimum: 0, maximum: 366 }),
    'Days after the horizon until all outcomes are expected to have been sent; 0 where absent.',
  ),
  tolerance: maybe(
    Type.Number({ minimum: 0, maximum: 1 }),
    'Log odds by which risks may be wrong and still count as right for the alarm, such as 0.15 for a season; 0 where absent.',
  ),
  eta: Type.Number({
    minimum: 0.01,
    maximum: 1,
    description:
      'Whether a patient can come back: 1 states that each has one outcome; lower where patients repeat.',
  }),
  groups: maybe(
    Type.Array(matching('^[^\\u0000-\\u001f\\u007f]{1,64}$', 'The name of a group.'), {
      maxItems: 50,
      uniqueItems: true,
    }),
    'The groups that outcomes may name, such as wards; at most 50.',
  ),
  maxCells: maybe(
    Type.Integer({ minimum: 1, maximum: 100_000 }),
    'Counts that one body of outcomes may change: one for each digest, month, group, bin of risk and kind in it, and one more where it corrects; 10,000 where absent.',
  ),
})

/** What each code stands for. `check-codes.ts` checks the names of the fields and their values. */
const FieldCodes = recordOf(Type.Union([Type.String(), Type.Boolean(), Type.Null()]))

const DeploymentEntry = closed({
  name: matching('^[a-z][a-z0-9-]{0,62}$', 'Name of the deployment; keys name it.'),
  basePath: matching('^/([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*)?$', 'Path under which its calls are served.'),
  model: text('Id of the model, or id@version.'),
  output: Type.Enum(['number', 'yes-no'], { description: 'What `risk` is in an answer.' }),
  threshold: share("Risk from which the answer is Yes; the model's own threshold where absent."),
  unknownFields: maybe(
    Type.Enum(['ignore', 'report']),
    'Whether all unknown names are reported, or only those like a field (`ignore`, the default).',
  ),
  units: maybe(recordOf(filled), 'The unit in which a field is received, such as {"haemoglobin": "mmol/L"}.'),
  codes: maybe(
    recordOf(FieldCodes),
    'What the codes of the sender mean, such as {"sex": {"H": "M", "M": "F"}}; null stands for no value.',
  ),
  bands: maybe(
    recordOf(filled),
    'The scheme of bands of a scale in place of its default, such as {"edmonton": "four bands"}.',
  ),
  assessmentDays: maybe(
    Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    'After how many days an assessment gets the notice `old-assessment`, for all scales; null: never. 366 where neither this nor a scale says so.',
  ),
  languages: maybe(
    Type.Array(filled, { minItems: 1, uniqueItems: true }),
    'The languages in which texts for people are given, such as ["en", "ca"]; English and Spanish where absent. English is always one of them.',
  ),
  shadow: maybe(
    Shadow,
    'A second model that scores the same records after the answers have left, to compare.',
  ),
  limits: maybe(Type.Partial(Limits, none)),
  retirement: maybe(Retirement),
  cors: maybe(Cors),
  cdsHooks: maybe(DeploymentCdsHooks),
  outcomes: maybe(Outcomes),
  reader: maybe(
    Type.Enum(['bytes', 'reference']),
    'How records are read. Both give the same answers; `bytes`, the default, is faster.',
  ),
})

const Access = Type.Object({
  failedKeysPerMinute: count(1_000_000, 'Failed keys a minute of an address or key id; 60 where absent.'),
})
const Audit = Type.Object({
  retentionDays: countOrNone(36_500, 'How many days rows are kept; null, the default: without limit.'),
  retentionMonths: countOrNone(
    1_200,
    'How many whole months (UTC) before this one are kept; null, the default: without limit.',
  ),
  anchorFile: text(
    'File in which the service keeps the newest anchor of the audit chain and one of every day; in DATA_DIR by default.',
  ),
})
const Workbench = Type.Object({
  idleLockMinutes: count(1_440, 'Minutes without activity after which the page signs out; 15 where absent.'),
})

const Times = Type.Object({
  headersMs: count(HOUR_MS, 'How long the headers of a request may take; then 408.', 10_000),
  requestMs: count(HOUR_MS, 'How long a request may arrive (then 408) and a large answer be read.', 30_000),
  streamMs: count(24 * HOUR_MS, 'How long a whole stream may take; then it is cut off.', HOUR_MS),
  stallMs: count(HOUR_MS, 'How long a request or answer may make no progress; then it is cut off.', 10_000),
  idleMs: count(HOUR_MS, 'How long a connection is kept open between two requests.', 10_000),
  noticeMs: count(
    HOUR_MS,
    'How long a stopping service still answers, so that a balancer sees that it is not ready.',
    1_000,
    0,
  ),
  stopMs: count(HOUR_MS, 'When a stop closes what is still open; audit rows may take 1.5 s more.', 8_000),
})

const Pace = Type.Object({
  windowMs: count(HOUR_MS, 'Window over which the speed of a body is measured.', 5_000),
  bytesPerSecond: count(1 << 30, 'A body that is slower than this over a window is refused: 408.', 1_024),
})

const Connections = Type.Object({
  total: count(1_000_000, 'Open connections; at most the limit of open files less 128.', 10_000),
  perAddress: count(1_000_000, 'Open connections of one address; trusted proxies are not counted.', 512),
})

const Load = Type.Object({
  requests: count(1_000_000, 'Requests in progress at the same time; beyond: 503.', 1_000),
  bytes: count(2 ** 40, 'Bytes of bodies and large answers in memory; beyond: 503.', 256 * MIB),
  adapterBytes: count(
    2 ** 40,
    'Bytes of bodies for FHIR and CDS Hooks in memory, where they take several times as much while they are read; beyond: 503.',
    96 * MIB,
  ),
  answerBytes: count(
    2 ** 40,
    'Bytes of answers that may wait for slow readers. Beyond them the slowest reader is disconnected.',
    64 * MIB,
  ),
  eventLoopDelayMs: count(60_000, 'Mean delay of the event loop; beyond, two seconds in a row: 503.', 2_000),
})

const Settings = Type.Object({
  origins: Origins('Public origins of the service, such as https://risk.example.org.', { default: [] }),
  trustedProxies: Type.Array(filled, {
    default: [],
    description: 'Addresses or networks, such as 10.0.0.0/8, whose X-Forwarded-For is trusted.',
  }),
  metrics: Type.Enum(['local', 'open'], {
    default: 'local',
    description: 'Who may read /metrics: this machine and admin keys, or everyone.',
  }),
  documents: Type.Enum(['open', 'key'], {
    default: 'open',
    description: 'Who may read /openapi.json: everyone, or callers with a key, each what its key may call.',
  }),
  times: Type.Partial(Times, section),
  pace: Type.Partial(Pace, section),
  connections: Type.Partial(Connections, section),
  load: Type.Partial(Load, section),
})

const GIB = 1024 * MIB

/** Bodies that are answered later. Without this section the service takes no jobs. */
const Jobs = closed({
  folder: text(
    'Folder for the bodies and results of jobs, encrypted. Instances that share the store share this folder too.',
  ),
  bytes: maybe(count(2 ** 40, 'Bytes of the body of a job.', GIB)),
  records: maybe(count(20_000_000, 'Records of a job.', 5_000_000)),
  jobsPerKey: maybe(count(10_000, 'Jobs that a key may have at a time, those with results among them.', 20)),
  bytesPerKey: maybe(count(2 ** 44, 'Bytes of bodies and results that a key may have at a time.', 4 * GIB)),
  totalBytes: maybe(count(2 ** 46, 'Bytes of bodies and results of all keys; beyond: 503.', 64 * GIB)),
  keepHours: maybe(count(744, 'Hours for which results are kept.', 24)),
})

export const CONFIG_SCHEMA = closed({
  $schema: maybe(Type.String(), 'The schema of this file, for editors.'),
  clinical: maybe(Type.Array(filled), 'Folders with further scales and models, and maps of codes for FHIR.'),
  timeZone: maybe(
    Type.String(),
    "Time zone of today's date and of FHIR times in UTC, such as Europe/Madrid; the machine's where absent.",
  ),
  access: maybe(Type.Partial(Access, none)),
  audit: maybe(Type.Partial(Audit, none)),
  server: maybe(Type.Partial(Settings, none)),
  fhir: maybe(FhirSection),
  cdsHooks: maybe(CdsHooksSection),
  workbench: maybe(Type.Partial(Workbench, none)),
  jobs: maybe(Jobs),
  deployments: some(DeploymentEntry),
})

type ServerFile = Type.Static<typeof Settings>
export type ServerSettings = { readonly [Key in keyof ServerFile]: Readonly<Required<ServerFile[Key]>> }
export type TrustedIssuer = Type.Static<typeof Issuer>
export type FhirServer = Type.Static<typeof FhirServer>
export type DeploymentHooks = Type.Static<typeof DeploymentCdsHooks>
export type CdsHooksSettings = Type.Static<typeof CdsHooksSection>
export type JobSettings = Readonly<Required<Type.Static<typeof Jobs>>>
export type Limits = Readonly<Type.Static<typeof Limits>>
export type DeploymentSettings = Type.Static<typeof DeploymentEntry>
export type ConfigFile = Type.Static<typeof CONFIG_SCHEMA>
