/** Refuses requests that Node accepts but that a proxy in front of it may read in another way. */
import type { IncomingMessage } from 'node:http'
import { invalid } from '@patient-risk/runtime'

const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\//i
/** An address that no route has. */
const NOWHERE = '/-'

/** Headers that may occur once. Each has a bit of its own. */
const SINGLE: ReadonlyMap<string, number> = new Map(
  ['authorization', 'host', 'content-length', 'content-type', 'transfer-encoding', 'idempotency-key'].map(
    (name, place) => [name, 1 << place],
  ),
)

/** Throws for a request that can be read in more than one way. `path` is the one it is routed by. */
export function refuseFraming(message: IncomingMessage, path: string, target: string): void {
  const { httpVersion, headers } = message
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw invalid('The request line must name HTTP/1.1.')
  }
  const { host } = headers
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) {
    throw invalid('The request must carry one header "Host" with a name and a port.')
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    throw invalid('The only transfer coding that is understood is "chunked".')
  }
  const expected = headers.expect
  if (expected !== undefined && expected.toLowerCase() !== '100-continue') {
    throw invalid('The only expectation that can be met is "100-continue".')
  }
  // An absolute target that names this service was replaced by its path before.
  if (!path.startsWith('/')) throw invalid('The request must be addressed to a path of this service.')
  if (path === NOWHERE && target !== NOWHERE)
    throw invalid('The path of the request is not a valid URL path.')
  const { rawHeaders } = message
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const bit = SINGLE.get(name) ?? 0
    if ((seen & bit) !== 0) throw invalid(`The header "${name}" is given twice.`)
    seen |= bit
  }
}

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Finds the path that a request is routed by. A path that cannot be decoded is routed to no address, so that it passes the same
 * hooks as every other request; the framing check refuses it there.
 */
export function pathRouter(origins: readonly string[]): (message: IncomingMessage) => string {
  return (message) => {
    const path = ownPath(message, origins)
    if (!path.includes('%')) return path
    if (!isDecodable(path)) return NOWHERE
    // Many clients encode the dollar sign of a FHIR operation. The router would not decode it.
    return path.replace(/^[^?]*/, (address) => address.replaceAll('%24', '$'))
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** The path of an absolute target that names this service, or the target unchanged. */
function ownPath(message: IncomingMessage, origins: readonly string[]): string {
  const target = message.url ?? ''
  if (!ABSOLUTE.test(target) || !URL.canParse(target)) return target
  const { origin, pathname, search, hash, username, password } = new URL(target)
  if (hash !== '' || username !== '' || password !== '') return target
  const isOurs = origins.includes(origin) || isLocal(message, new URL(target))
  return isOurs ? pathname + search : target
}

/** Whether a target names the address and port that the request came in on. */
function isLocal(message: IncomingMessage, { protocol, hostname, port }: URL): boolean {
  const { localAddress, localPort } = message.socket
  const plain = localAddress?.replace(/^::ffff:/, '')
  const named = hostname.replace(/^\[|\]$/g, '')
  const isLoopback = plain === '127.0.0.1' || plain === '::1'
  return (
    protocol === 'http:' &&
    Number(port === '' ? 80 : port) === localPort &&
    (named === plain || (isLoopback && named === 'localhost'))
  )
}
