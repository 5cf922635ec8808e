/** How the service guards itself: times, sizes, connections, proxies. What the file may say, and what holds without it. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const count = (most: number, description: string): Type.TOptional<Type.TInteger> =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, description }))
const HOUR_MS = 3_600_000

const Times = Type.Object(
  {
    headersMs: count(HOUR_MS, 'How long the headers of a request may take.'),
    requestMs: count(HOUR_MS, 'How long a whole request may take to arrive, and its answer to be taken.'),
    streamMs: count(24 * HOUR_MS, 'How long a stream of records may take from its first line to its last.'),
    stallMs: count(HOUR_MS, 'How long a connection with a request on it may stand still.'),
    idleMs: count(HOUR_MS, 'How long a connection is kept open between two requests.'),
    noticeMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: HOUR_MS,
        description:
          'How long a stopping service still answers, so that a balancer sees that it is not ready.',
      }),
    ),
    stopMs: count(HOUR_MS, 'When a stopping service ends, whatever is still open.'),
  },
  closed,
)

const Pace = Type.Object(
  {
    windowMs: count(HOUR_MS, 'A body is looked at in windows of this length.'),
    bytesPerSecond: count(1 << 30, 'A body that comes slower than this over a window is cut off.'),
  },
  closed,
)

const Connections = Type.Object(
  {
    total: count(1_000_000, 'Open connections in all; never more than the system lets the process open.'),
    perAddress: count(1_000_000, 'Open connections of one address; trusted proxies are not counted.'),
  },
  closed,
)

const Load = Type.Object(
  {
    requests: count(1_000_000, 'Requests that are being answered at the same time.'),
    bytes: count(2 ** 40, 'Bytes of bodies that are held at the same time.'),
    answerBytes: count(
      2 ** 40,
      'Bytes of answers that may wait for slow readers. Beyond them the slowest reader is disconnected.',
    ),
    eventLoopDelayMs: count(60_000, 'Mean delay of the event loop beyond which new work is refused.'),
  },
  closed,
)

export const ServerSection = Type.Object(
  {
    origins: Type.Optional(
      Type.Array(Type.String({ pattern: '^https?://[^/?#@\\s]+$' }), {
        description: 'Origins under which callers know the service, as in https://risk.example.org.',
      }),
    ),
    trustedProxies: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Addresses or networks, as in 10.0.0.0/8, whose X-Forwarded-For is believed.',
      }),
    ),
    metrics: Type.Optional(
      Type.Enum(['local', 'open'], {
        description: 'Who reads /metrics: this machine and admin keys, or everybody.',
      }),
    ),
    documents: Type.Optional(
      Type.Enum(['open', 'key'], {
        description:
          'Who reads /openapi.json: everybody, or callers with a key, who then see only what their key may call.',
      }),
    ),
    times: Type.Optional(Times),
    pace: Type.Optional(Pace),
    connections: Type.Optional(Connections),
    load: Type.Optional(Load),
  },
  closed,
)

type Section = Type.Static<typeof ServerSection>
type Whole<T> = { readonly [K in keyof T]-?: NonNullable<T[K]> }

export interface ServerSettings {
  readonly origins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly metrics: 'local' | 'open'
  readonly documents: 'open' | 'key'
  readonly times: Whole<Type.Static<typeof Times>>
  readonly pace: Whole<Type.Static<typeof Pace>>
  readonly connections: Whole<Type.Static<typeof Connections>>
  readonly load: Whole<Type.Static<typeof Load>>
}

const MIB = 1024 * 1024

export const DEFAULT_SERVER_SETTINGS: ServerSettings = {
  origins: [],
  trustedProxies: [],
  metrics: 'local',
  documents: 'open',
  times: {
    headersMs: 10_000,
    requestMs: 30_000,
    streamMs: HOUR_MS,
    stallMs: 10_000,
    idleMs: 10_000,
    noticeMs: 1_000,
    stopMs: 8_000,
  },
  pace: { windowMs: 5_000, bytesPerSecond: 1_024 },
  connections: { total: 10_000, perAddress: 512 },
  load: { requests: 1_000, bytes: 256 * MIB, answerBytes: 64 * MIB, eventLoopDelayMs: 2_000 },
}

/** The settings of a file, each one that it leaves out at its default. */
export function serverSettings(section: Section = {}): ServerSettings {
  const preset = DEFAULT_SERVER_SETTINGS
  return {
    origins: section.origins ?? preset.origins,
    trustedProxies: section.trustedProxies ?? preset.trustedProxies,
    metrics: section.metrics ?? preset.metrics,
    documents: section.documents ?? preset.documents,
    times: { ...preset.times, ...section.times },
    pace: { ...preset.pace, ...section.pace },
    connections: { ...preset.connections, ...section.connections },
    load: { ...preset.load, ...section.load },
  }
}
