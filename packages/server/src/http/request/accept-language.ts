/** Chooses the language of what people read in an answer, by Accept-Language (RFC 9110, section 12.5.4). */
import type { FastifyReply } from 'fastify'
import { type Catalog, type Deployment, type LanguageWords, wordsOf } from '@patient-risk/catalog'
import { ENGLISH } from '@patient-risk/catalog/languages'
import type { RequestContext } from './request-context.ts'

const RANGE = /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i
/** No reader has more, and a header may be long. */
const MOST_RANGES = 50

/**
 * The language of the list that fits best: the highest quality, then the first. `pt-BR` takes `pt` where it is not offered itself, and
 * `pt` takes `pt-BR`. What nothing fits, and `*`, is English.
 */
export function chooseLanguage(header: string | undefined, offered: readonly string[]): string {
  if (header === undefined) return ENGLISH
  const ranges = header
    .split(',', MOST_RANGES)
    .flatMap((each) => {
      const [, range, quality = '1'] = RANGE.exec(each) ?? []
      return range === undefined ? [] : [{ range: range.toLowerCase(), quality: Number(quality) }]
    })
    .sort((a, b) => b.quality - a.quality)
  const refused = new Set(ranges.filter(({ quality }) => quality === 0).map(({ range }) => range))
  const possible = offered.filter((tag) => !refused.has(tag.toLowerCase()))
  for (const { range, quality } of ranges) {
    if (quality === 0) continue
    const found = range === '*' ? ENGLISH : languageFor(range, possible)
    if (found !== undefined) return found
  }
  return ENGLISH
}

function languageFor(range: string, offered: readonly string[]): string | undefined {
  const fits = (wanted: string): string | undefined =>
    offered.find((tag) => tag.toLowerCase() === wanted) ??
    offered.find((tag) => tag.toLowerCase().startsWith(`${wanted}-`))
  const parts = range.split('-')
  for (let count = parts.length; count > 0; count--) {
    const found = fits(parts.slice(0, count).join('-'))
    if (found !== undefined) return found
  }
  return undefined
}

/** Chooses the language of an answer and names it in its headers. Undefined for English, which needs no words. */
export function answerLanguage(
  catalog: Catalog,
  { languages }: Pick<Deployment, 'languages'>,
  { raw }: Pick<RequestContext, 'raw'>,
  reply: FastifyReply,
): LanguageWords | undefined {
  const words = wordsOf(catalog, chooseLanguage(raw.headers['accept-language'], languages))
  reply.header('content-language', words?.contentLanguage ?? ENGLISH)
  varyBy(reply, 'Accept-Language')
  return words
}

/** Adds a header to those by which caches tell answers apart. */
export function varyBy(reply: FastifyReply, name: string): void {
  const former = [reply.getHeader('vary') ?? []].flat().join(', ')
  const names = former === '' ? [] : former.split(/\s*,\s*/)
  if (names.some((each) => each.toLowerCase() === name.toLowerCase())) return
  reply.header('vary', [...names, name].join(', '))
}
