/** The languages of the page: which there are, and the texts of each. Like the page itself they need no key. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { pagePacks } from '@patient-risk/catalog/languages'
import type { Service } from '../service.ts'

const FOLDER = '/workbench/languages'
const HEADERS = { 'cache-control': 'no-cache', vary: 'accept-encoding' }

export function languageRoutes(
  app: FastifyInstance,
  { catalog, deployments }: Pick<Service, 'catalog' | 'deployments'>,
): void {
  const packs = pagePacks(catalog, deployments)
  const named = packs.map(({ language, name }) => ({ language, name }))
  serveText(app, `${FOLDER}.json`, JSON.stringify([{ language: 'en', name: 'English' }, ...named]))
  for (const pack of packs) serveText(app, `${FOLDER}/${pack.language}.json`, JSON.stringify(pack))
}

function serveText(app: FastifyInstance, path: string, text: string): void {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  let packed: Buffer | undefined
  app.get(path, ({ headers }, reply) => {
    const isPacked = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
    // The two codings have different bytes, so each has its own tag.
    const etag = isPacked ? `"${digest}-gz"` : `"${digest}"`
    reply.headers(HEADERS).header('etag', etag)
    if (headers['if-none-match'] === etag) return reply.code(304).send()
    if (isPacked) reply.header('content-encoding', 'gzip')
    reply.type('application/json; charset=utf-8')
    return reply.send(isPacked ? (packed ??= gzipSync(text, { level: 9 })) : text)
  })
}
