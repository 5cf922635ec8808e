/** How the service guards itself: times, sizes, connections, proxies. What the file may say, and what holds without it. */
import Type from 'typebox'
import { Value } from 'typebox/value'

const HOUR_MS = 3_600_000
const MIB = 1024 * 1024

/** Of a section in which every setting may be left out. */
const section = { additionalProperties: false, default: {} }

const int = (preset: number, maximum: number, description: string, minimum = 1): Type.TInteger =>
  Type.Integer({ default: preset, minimum, maximum, description })

const Times = Type.Object({
  headersMs: int(10_000, HOUR_MS, 'How long the headers of a request may take.'),
  requestMs: int(30_000, HOUR_MS, 'How long a whole request may take to arrive, and its answer to be taken.'),
  streamMs: int(
    HOUR_MS,
    24 * HOUR_MS,
    'How long a stream of records may take from its first line to its last.',
  ),
  stallMs: int(10_000, HOUR_MS, 'How long a connection with a request on it may stand still.'),
  idleMs: int(10_000, HOUR_MS, 'How long a connection is kept open between two requests.'),
  noticeMs: int(
    1_000,
    HOUR_MS,
    'How long a stopping service still answers, so that a balancer sees that it is not ready.',
    0,
  ),
  stopMs: int(8_000, HOUR_MS, 'When a stopping service ends, whatever is still open.'),
})

const Pace = Type.Object({
  windowMs: int(5_000, HOUR_MS, 'A body is looked at in windows of this length.'),
  bytesPerSecond: int(1_024, 1 << 30, 'A body that comes slower than this over a window is cut off.'),
})

const Connections = Type.Object({
  total: int(10_000, 1_000_000, 'Open connections in all; never more than the system lets the process open.'),
  perAddress: int(512, 1_000_000, 'Open connections of one address; trusted proxies are not counted.'),
})

const Load = Type.Object({
  requests: int(1_000, 1_000_000, 'Requests that are being answered at the same time.'),
  bytes: int(256 * MIB, 2 ** 40, 'Bytes of bodies that are held at the same time.'),
  answerBytes: int(
    64 * MIB,
    2 ** 40,
    'Bytes of answers that may wait for slow readers. Beyond them the slowest reader is disconnected.',
  ),
  eventLoopDelayMs: int(2_000, 60_000, 'Mean delay of the event loop beyond which new work is refused.'),
})

export const Origins = (description: string, more: object = {}): Type.TArray<Type.TString> =>
  Type.Array(Type.String({ pattern: '^https?://[^/?#@\\s]+$' }), { ...more, description })

const Settings = Type.Object({
  origins: Origins('Origins under which callers know the service, as in https://risk.example.org.', {
    default: [],
  }),
  trustedProxies: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: 'Addresses or networks, as in 10.0.0.0/8, whose X-Forwarded-For is believed.',
  }),
  metrics: Type.Enum(['local', 'open'], {
    default: 'local',
    description: 'Who reads /metrics: this machine and admin keys, or everybody.',
  }),
  documents: Type.Enum(['open', 'key'], {
    default: 'open',
    description:
      'Who reads /openapi.json: everybody, or callers with a key, who then see only what their key may call.',
  }),
  times: Type.Partial(Times, section),
  pace: Type.Partial(Pace, section),
  connections: Type.Partial(Connections, section),
  load: Type.Partial(Load, section),
})

export const ServerSection = Type.Partial(Settings, { additionalProperties: false })
type ServerFile = Type.Static<typeof Settings>
export type ServerSettings = { readonly [Key in keyof ServerFile]: Readonly<Required<ServerFile[Key]>> }

/** The settings of a file, each one that it leaves out at its default. */
export function serverSettings(given: Type.Static<typeof ServerSection> = {}): ServerSettings {
  return Value.Default(ServerSection, structuredClone(given)) as ServerSettings
}

export const DEFAULT_SERVER_SETTINGS: ServerSettings = serverSettings()
