/** Calls to a FHIR server that the operator has listed: bounded, never redirected, and only to addresses that were checked. */
import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { BlockList, type LookupFunction, isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import type { FhirServer } from '@patient-risk/catalog/config'

/** Networks that are not public: an address from outside must not lead the service into them. */
const PRIVATE = new BlockList()
const PRIVATE_NETWORKS =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/3 ' +
  '::/127 2002::/16 64:ff9b::/96 fc00::/7 fe80::/10 ff00::/8'
for (const network of PRIVATE_NETWORKS.split(' ')) {
  const [address = '', bits] = network.split('/')
  PRIVATE.addSubnet(address, Number(bits), familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

function isPrivate(address: string): boolean {
  return PRIVATE.check(address, familyOf(address))
}

/** Connects to the addresses that were checked: a second lookup could give others. */
const lookupPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    const [first] = error === null ? found : []
    if (first === undefined || found.some(({ address }) => isPrivate(address)))
      done(error ?? new Error('private address'), [])
    else if (options.all === true) done(null, found)
    else done(null, first.address, first.family)
  })
}

/** A call that gave nothing to work with. Its text is ours: neither the server's words nor an address are passed on. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed'
  readonly status: number | undefined
  /** For how long the server asks to wait; undefined where it does not. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, status?: number, retryAfterMs?: number) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** The connection of an earlier call was closed before this one got an answer. */
class ClosedMeanwhile extends FetchFailed {}

/** Counts up to a number of bytes. */
export function upTo(bytes: number): RemoteCall['take'] {
  let left = bytes
  return (taken) => {
    left -= taken
    if (left < 0) throw new FetchFailed('The FHIR server sent more than the service takes.')
  }
}

const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503
/** A server that asks for no wait at all is not called in a tight loop. */
const SHORTEST_WAIT_MS = 100
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

export interface RemoteCall {
  readonly signal: AbortSignal
  /** When the signal aborts, as `Date.now()` counts. A wait that would last longer is not begun; without it none is. */
  readonly endsAt?: number
  /** Learns of waits that the server asks for. */
  readonly onWait?: (ms: number) => void
  readonly token?: string | undefined
  /** A form to be posted; without one the call is a GET. */
  readonly form?: URLSearchParams
  /** Counts bytes as they arrive. Throws where there are too many. */
  readonly take: (bytes: number) => void
}

export class RemoteServer {
  /** With a slash at its end, so that relative addresses lie under it. */
  readonly base: URL
  readonly settings: FhirServer
  /** Other names of the same server, each with a slash at its end. They are never called. */
  private readonly aliases: readonly URL[]
  private readonly agents: { readonly http: http.Agent; readonly https: https.Agent }

  constructor(settings: FhirServer) {
    this.settings = settings
    this.base = baseOf(settings.url)
    this.aliases = (settings.aliases ?? []).map(baseOf)
    const usual = { keepAlive: true, maxSockets: 16 }
    const options = settings.internal ? usual : { ...usual, lookup: lookupPublic }
    this.agents = { http: new http.Agent(options), https: new https.Agent(options) }
  }

  /** Whether an address is the base of this server, or one of its aliases. */
  isNamed(base: URL): boolean {
    return [this.base, ...this.aliases].some(({ href }) => href === base.href)
  }

  /**
   * The address to call for one that lies on this server, at its base or under it, also where it is written with an alias; undefined for
   * any other. Servers write later pages as queries of the base.
   */
  addressOf(url: URL): URL | undefined {
    if (isUnder(this.base, url)) return url
    const alias = this.aliases.find((each) => isUnder(each, url))
    if (alias === undefined) return undefined
    const rest = `${url.pathname}/`.slice(alias.pathname.length)
    const own = new URL(this.base)
    own.pathname = (this.base.pathname + rest).slice(0, -1)
    own.search = url.search
    return own
  }

  /**
   * A server may close an idle connection at the moment in which it is used again. Such a call is repeated, at the latest on a new
   * connection. So is one that the server asks to repeat later (429 or 503 with Retry-After), if there is time for it. A form is not
   * repeated: the server may have taken it.
   */
  async call(url: URL, terms: RemoteCall): Promise<Buffer> {
    for (;;) {
      try {
        return await this.callOnce(url, terms)
      } catch (error) {
        if (terms.form !== undefined) throw error
        if (!(error instanceof ClosedMeanwhile)) await waitAsAsked(error, terms)
      }
    }
  }

  private callOnce(url: URL, { signal, token, form, take }: RemoteCall): Promise<Buffer> {
    const address = url.hostname.replace(/^\[|\]$/g, '')
    if (this.settings.internal !== true && isIP(address) !== 0 && isPrivate(address))
      throw new FetchFailed('The FHIR server has a private address.')
    const isSecure = url.protocol === 'https:'
    const options = {
      signal,
      agent: isSecure ? this.agents.https : this.agents.http,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        accept: form === undefined ? 'application/fhir+json, application/json;q=0.9' : 'application/json',
        'accept-encoding': 'identity',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    }
    return new Promise((resolve, reject) => {
      const end = (error: Error): void => {
        reject(error)
        call.destroy()
      }
      const fail = (why: string, status?: number, retryAfterMs?: number): void =>
        end(new FetchFailed(`The FHIR server ${why}.`, status, retryAfterMs))
      const call = (isSecure ? https : http).request(url, options, (answer) => {
        const { statusCode: status = 0, headers } = answer
        const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers
        // Some servers and proxies compress without being asked.
        const isPacked = /^(x-)?gzip$/i.test(coding)
        const body = isPacked ? answer.pipe(createGunzip()) : answer
        const chunks: Buffer[] = []
        // What comes out is counted: a few bytes may unpack to gigabytes.
        body.on('data', (chunk: Buffer) => {
          try {
            take(chunk.length)
            chunks.push(chunk)
          } catch (error) {
            end(error as Error)
          }
        })
        body.on('end', () => resolve(withoutBom(Buffer.concat(chunks))))
        body.on('error', () => fail('broke off its answer, or sent what is not gzip'))
        if (isPacked) answer.on('error', () => fail('broke off its answer'))
        if (status !== 200) fail(`answered with status ${status}`, status, retryAfterMs(status, headers))
        else if (!/^application\/(fhir\+)?json\s*(;|$)/i.test(type) || !(isPacked || coding === 'identity'))
          fail('answered with something other than plain JSON')
      })
      call.on('error', ({ code }: NodeJS.ErrnoException) => {
        const isClosed = call.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
        if (signal.aborted) fail('did not answer in time')
        else if (isClosed) end(new ClosedMeanwhile('The FHIR server cannot be reached.'))
        else fail('cannot be reached')
      })
      call.end(form?.toString())
    })
  }
}

function baseOf(address: string): URL {
  return new URL(address.replace(/\/*$/, '/'))
}

function isUnder({ origin, pathname }: URL, url: URL): boolean {
  return (
    url.origin === origin && `${url.pathname}/`.startsWith(pathname) && url.username + url.password === ''
  )
}

/** Waits where a server has asked for it. Throws the error where it has not, or where the call would end before. */
export async function waitAsAsked(error: unknown, { signal, endsAt = 0, onWait }: RemoteCall): Promise<void> {
  if (!(error instanceof FetchFailed) || error.retryAfterMs === undefined) throw error
  const ms = Math.max(SHORTEST_WAIT_MS, error.retryAfterMs)
  if (Date.now() + ms >= endsAt) {
    const why = `The FHIR server answered with status ${error.status}, and asks to wait longer than this call may take.`
    throw new FetchFailed(why, error.status)
  }
  onWait?.(ms)
  await wait(ms, undefined, { signal }).catch(() => {
    throw new FetchFailed('The FHIR server did not answer in time.')
  })
}

/** The wait that a busy server asks for, in seconds or as a date of its own clock. */
function retryAfterMs(
  status: number,
  { 'retry-after': given = '', date = '' }: http.IncomingHttpHeaders,
): number | undefined {
  if (status !== TOO_MANY_REQUESTS && status !== UNAVAILABLE) return undefined
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1_000
  const until = given.endsWith(' GMT') ? Date.parse(given) : NaN
  if (Number.isNaN(until)) return undefined
  const now = Date.parse(date)
  return until - (Number.isNaN(now) ? Date.now() : now)
}

/** JSON must not begin with a byte order mark, and some servers send one. */
function withoutBom(bytes: Buffer): Buffer {
  return bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes
}
