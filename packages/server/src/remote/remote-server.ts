/** Calls to a FHIR server that the operator has listed: bounded, never redirected, and only to addresses that were checked. */
import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { BlockList, type LookupFunction, isIP } from 'node:net'
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

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
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

export interface RemoteCall {
  readonly signal: AbortSignal
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
  private readonly agents: { readonly http: http.Agent; readonly https: https.Agent }

  constructor(settings: FhirServer) {
    this.settings = settings
    this.base = new URL(settings.url.replace(/\/*$/, '/'))
    const usual = { keepAlive: true, maxSockets: 16 }
    const options = settings.internal ? usual : { ...usual, lookup: lookupPublic }
    this.agents = { http: new http.Agent(options), https: new https.Agent(options) }
  }

  /** Whether an address lies on this server, at its base or under it. Servers write later pages as queries of the base. */
  holds(url: URL): boolean {
    const { origin, pathname } = this.base
    return (
      url.origin === origin && `${url.pathname}/`.startsWith(pathname) && url.username + url.password === ''
    )
  }

  /**
   * A server may close an idle connection at the moment in which it is used again. Such a call is repeated, at the latest on a new
   * connection. A form is not: the server may have taken it.
   */
  async call(url: URL, terms: RemoteCall): Promise<Buffer> {
    for (;;) {
      try {
        return await this.callOnce(url, terms)
      } catch (error) {
        if (!(error instanceof ClosedMeanwhile) || terms.form !== undefined) throw error
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
      const fail = (why: string, status?: number): void =>
        end(new FetchFailed(`The FHIR server ${why}.`, status))
      const call = (isSecure ? https : http).request(url, options, (answer) => {
        const { statusCode: status = 0, headers } = answer
        const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => {
          try {
            take(chunk.length)
            chunks.push(chunk)
          } catch (error) {
            end(error as Error)
          }
        })
        answer.on('end', () => resolve(Buffer.concat(chunks)))
        answer.on('error', () => fail('broke off its answer'))
        if (status !== 200) fail(`answered with status ${status}`, status)
        else if (!/^application\/(fhir\+)?json\s*(;|$)/i.test(type) || coding !== 'identity')
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
