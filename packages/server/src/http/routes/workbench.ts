/** The workbench: a page, its scripts, its style and its icon, served from the folder that its build has written. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { AppError } from '@patient-risk/runtime'
import { PAGE_POLICY } from '../request/response-headers.ts'
import type { Service } from '../service.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
}

const HEADERS = {
  'content-security-policy': PAGE_POLICY,
  // File names do not change with their content, so a browser asks each time and usually gets 304.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

export function workbenchRoutes(app: FastifyInstance, { log, page }: Pick<Service, 'log' | 'page'>): void {
  if (page === undefined) return
  const { folder, notBuilt } = page
  if (!existsSync(new URL('index.html', folder))) {
    log.info({ event: 'page-not-built', reason: notBuilt })
    app.get('/', () => {
      throw new AppError('NOT_FOUND', notBuilt)
    })
    return
  }
  for (const file of readdirSync(folder)) {
    const plain = readFileSync(new URL(file, folder))
    let packed: Buffer | undefined
    const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
    const type = TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    app.get(file === 'index.html' ? '/' : `/workbench/${file}`, ({ headers }, reply) => {
      const isPacked = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
      // The two codings have different bytes, so each has its own tag.
      const etag = isPacked ? `"${digest}-gz"` : `"${digest}"`
      reply.headers(HEADERS).header('etag', etag)
      if (headers['if-none-match'] === etag) return reply.code(304).send()
      if (isPacked) reply.header('content-encoding', 'gzip')
      return reply.type(type).send(isPacked ? (packed ??= gzipSync(plain, { level: 9 })) : plain)
    })
  }
}
