/**
 * References and fullUrls as addresses. Two spellings of one address are one address, as RFC 3986 says: the case of scheme and host,
 * a port that is the default, dot segments, percent-encoded letters. Repeated and trailing slashes, which no FHIR server
 * distinguishes, are removed too.
 */
import { textOf } from 'patient-risk-engine/read'

export interface Address {
  /** The address of the server with a slash at its end; undefined for a relative reference. */
  readonly server: string | undefined
  readonly type: string
  readonly id: string
}

// One slash at a time: of several, each would be tried with the group before it and with the next, 2^n ways.
const RELATIVE = /^(?:\.{0,2}\/)*([A-Z][A-Za-z]+)\/+([A-Za-z0-9\-.]{1,64})$/
const PATH = /^(.*\/)([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})$/
const VERSION = /\/_history(?:\/[^/]*)?$/
const UNRESERVED = /%(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]|3[0-9]|2D|2E|5F|7E)/gi

/** The address of a resource; undefined for anything else: a contained resource, a search, a urn, a text. */
export function addressIn(given: unknown): Address | undefined {
  const text = cleaned(given)
  if (/^https?:/i.test(text)) {
    const url = URL.parse(text)
    if (url?.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return undefined
    const [, folder, type = '', id = ''] = PATH.exec(url.pathname.replace(/\/{2,}/g, '/')) ?? []
    return folder === undefined ? undefined : { server: url.origin + folder, type, id }
  }
  const [, type, id = ''] = RELATIVE.exec(text) ?? []
  return type === undefined ? undefined : { server: undefined, type, id }
}

/** A urn in the one form that RFC 8141 compares: its scheme and namespace, and a UUID, have no case. */
export function urnIn(given: unknown): string | undefined {
  const text = cleaned(given)
  const [, namespace, name = ''] = /^urn:([^:]+):(.+)$/i.exec(text) ?? []
  if (namespace === undefined) return undefined
  const space = namespace.toLowerCase()
  return `urn:${space}:${space === 'uuid' ? name.toLowerCase() : name}`
}

/** What names one resource in the body; empty where the text is no address and no urn. */
export function keyIn(given: unknown): string {
  const address = addressIn(given)
  return address === undefined ? (urnIn(given) ?? '') : (address.server ?? '') + shortIn(address)
}

/** Type and id. */
export function shortIn({ type, id }: Address): string {
  return `${type}/${id}`
}

/** Without spaces around it, a version, and a slash at its end. */
function cleaned(given: unknown): string {
  const text = textOf(given)?.trim() ?? ''
  const plain = text.replace(UNRESERVED, (code) => decodeURIComponent(code))
  return withoutSlashes(withoutSlashes(plain).replace(VERSION, ''))
}

/** Without those at its end. The look-behind keeps a run of slashes from being tried once for each of them. */
function withoutSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '')
}
