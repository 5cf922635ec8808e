/** Requests that Node lets through and that a proxy before it may read otherwise: they are refused, not guessed at. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../errors.ts'

const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\//i

/** The error for a request that this service cannot read in one way only, or undefined. */
export function refuseFraming(message: IncomingMessage, target: string): AppError | undefined {
  const { httpVersion, headers } = message
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return invalid('The request line must name HTTP/1.1.')
  }
  const { host } = headers
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) {
    return invalid('The request must carry one header "Host" with a name and a port.')
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return invalid('The only transfer coding that is understood is "chunked".')
  }
  const expected = headers.expect
  if (expected !== undefined && expected.toLowerCase() !== '100-continue') {
    return invalid('The only expectation that can be met is "100-continue".')
  }
  // A target that names this very service was turned into its path before; what is left names another one.
  return target.startsWith('/')
    ? undefined
    : invalid('The request must be addressed to a path of this service.')
}

/** The path of an absolute target that names this service, or the target as it came. */
export function ownPath(message: IncomingMessage, origins: readonly string[]): string {
  const target = message.url ?? ''
  if (!ABSOLUTE.test(target) || !URL.canParse(target)) return target
  const { origin, pathname, search, hash, username, password } = new URL(target)
  if (hash !== '' || username !== '' || password !== '') return target
  const isOurs = origins.includes(origin) || isLocal(message, new URL(target))
  return isOurs ? pathname + search : target
}

/** Whether a target names the very address and port that the request came in on. */
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

function invalid(detail: string): AppError {
  return new AppError('REQUEST_INVALID', detail)
}
