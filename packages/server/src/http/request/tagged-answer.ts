/**
 * What describes a deployment: its model card and its fields. They hold nothing of a patient, and change only with the deployment, so a
 * browser may keep them and ask whether they still hold. They are large, so they are sent compressed where the caller takes that.
 */
import { gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { Deployment } from '@patient-risk/catalog'
import type { RequestContext } from './request-context.ts'
import { varyBy } from './accept-language.ts'
import { names } from './response-headers.ts'

/** Less than this fits into one packet anyway. */
const LEAST_PACKED_BYTES = 1_400

/** What describes a deployment is the same object as long as the process runs, so it is written and compressed once. */
const written = new WeakMap<object, { readonly plain: string; packed?: Buffer }>()

/**
 * Sends a description with the digest of its deployment as its tag, and 304 to a caller that has it already. The tag is followed by the
 * language and the coding that were chosen, because their bytes differ.
 */
export function sendTagged(
  { raw }: RequestContext,
  reply: FastifyReply,
  { digest }: Pick<Deployment, 'digest'>,
  value: object,
  language = '',
): FastifyReply {
  const text = written.get(value) ?? { plain: JSON.stringify(value) }
  written.set(value, text)
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(raw.headers['accept-encoding'] ?? '')
  const isPacked = takesGzip && text.plain.length >= LEAST_PACKED_BYTES
  const said = [digest, ...(language === '' ? [] : [language])].join('-')
  varyBy(reply, 'Accept-Language')
  varyBy(reply, 'Accept-Encoding')
  reply.headers({
    etag: `"${isPacked ? `${said}-gzip` : said}"`,
    // The tag does not cover translations: a browser would keep them after they have changed.
    'cache-control': language === '' ? 'private, no-cache' : 'no-store',
  })
  const list = raw.headers['if-none-match']
  // The codings say the same; another language does not.
  const isSame = (tag: string): boolean => tag === said || tag === `${said}-gzip`
  if (list !== undefined && names(list, true, isSame)) return reply.code(304).send()
  reply.type('application/json; charset=utf-8')
  if (!isPacked) return reply.send(text.plain)
  return reply.header('content-encoding', 'gzip').send((text.packed ??= gzipSync(text.plain, { level: 9 })))
}
