/** How the service guards itself: times, sizes, connections, proxies. What the file may say, and what holds without it. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const HOUR_MS = 3_600_000
const MIB = 1024 * 1024

/** Whole numbers: for each its default, its largest value, its meaning, and its smallest value where that is not 1. */
type Numbers = Readonly<
  Record<string, readonly [preset: number, most: number, description: string, least?: number]>
>

interface NumberSection<T> {
  readonly schema: Type.TObject<{ [K in keyof T]: Type.TOptional<Type.TInteger> }>
  readonly presets: { readonly [K in keyof T]: number }
}

function numberSection<T extends Numbers>(numbers: T): NumberSection<T> {
  const properties: Record<string, Type.TSchema> = {}
  const presets: Record<string, number> = {}
  for (const [name, [preset, maximum, description, minimum = 1]] of Object.entries(numbers)) {
    properties[name] = Type.Optional(Type.Integer({ minimum, maximum, description }))
    presets[name] = preset
  }
  return { schema: Type.Object(properties, closed), presets } as unknown as NumberSection<T>
}

const times = numberSection({
  headersMs: [10_000, HOUR_MS, 'How long the headers of a request may take.'],
  requestMs: [30_000, HOUR_MS, 'How long a whole request may take to arrive, and its answer to be taken.'],
  streamMs: [HOUR_MS, 24 * HOUR_MS, 'How long a stream of records may take from its first line to its last.'],
  stallMs: [10_000, HOUR_MS, 'How long a connection with a request on it may stand still.'],
  idleMs: [10_000, HOUR_MS, 'How long a connection is kept open between two requests.'],
  noticeMs: [
    1_000,
    HOUR_MS,
    'How long a stopping service still answers, so that a balancer sees that it is not ready.',
    0,
  ],
  stopMs: [8_000, HOUR_MS, 'When a stopping service ends, whatever is still open.'],
})

const pace = numberSection({
  windowMs: [5_000, HOUR_MS, 'A body is looked at in windows of this length.'],
  bytesPerSecond: [1_024, 1 << 30, 'A body that comes slower than this over a window is cut off.'],
})

const connections = numberSection({
  total: [10_000, 1_000_000, 'Open connections in all; never more than the system lets the process open.'],
  perAddress: [512, 1_000_000, 'Open connections of one address; trusted proxies are not counted.'],
})

const load = numberSection({
  requests: [1_000, 1_000_000, 'Requests that are being answered at the same time.'],
  bytes: [256 * MIB, 2 ** 40, 'Bytes of bodies that are held at the same time.'],
  answerBytes: [
    64 * MIB,
    2 ** 40,
    'Bytes of answers that may wait for slow readers. Beyond them the slowest reader is disconnected.',
  ],
  eventLoopDelayMs: [2_000, 60_000, 'Mean delay of the event loop beyond which new work is refused.'],
})

export const ORIGIN_PATTERN = '^https?://[^/?#@\\s]+$'

export const ServerSection = Type.Partial(
  Type.Object({
    origins: Type.Array(Type.String({ pattern: ORIGIN_PATTERN }), {
      description: 'Origins under which callers know the service, as in https://risk.example.org.',
    }),
    trustedProxies: Type.Array(Type.String({ minLength: 1 }), {
      description: 'Addresses or networks, as in 10.0.0.0/8, whose X-Forwarded-For is believed.',
    }),
    metrics: Type.Enum(['local', 'open'], {
      description: 'Who reads /metrics: this machine and admin keys, or everybody.',
    }),
    documents: Type.Enum(['open', 'key'], {
      description:
        'Who reads /openapi.json: everybody, or callers with a key, who then see only what their key may call.',
    }),
    times: times.schema,
    pace: pace.schema,
    connections: connections.schema,
    load: load.schema,
  }),
  closed,
)

export interface ServerSettings {
  readonly origins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly metrics: 'local' | 'open'
  readonly documents: 'open' | 'key'
  readonly times: typeof times.presets
  readonly pace: typeof pace.presets
  readonly connections: typeof connections.presets
  readonly load: typeof load.presets
}

export const DEFAULT_SERVER_SETTINGS: ServerSettings = serverSettings()

/** The settings of a file, each one that it leaves out at its default. */
export function serverSettings(section: Type.Static<typeof ServerSection> = {}): ServerSettings {
  return {
    origins: [],
    trustedProxies: [],
    metrics: 'local',
    documents: 'open',
    ...section,
    times: { ...times.presets, ...section.times },
    pace: { ...pace.presets, ...section.pace },
    connections: { ...connections.presets, ...section.connections },
    load: { ...load.presets, ...section.load },
  }
}
