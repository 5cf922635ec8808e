/**
 * What somebody would write instead of this service: fastify with its own logger (pino), keys and one durable audit row for each
 * answer in SQLite, JSON.parse and a plain scorer. `node server.ts DEFINITIONS_FILE FOLDER each|grouped`.
 */
import { hash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Fastify, { LogController } from 'fastify'
import { type Audit, auditEach, auditGrouped } from './audit.ts'
import { type Key, Keys } from './keys.ts'
import { type Definitions, PlainScorer, type Result } from './scorer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    key: Key | null
    bodyDigest: string | null
    results: readonly Result[] | null
  }
}

const [definitionsFile = '', folder = '', auditing = 'each'] = process.argv.slice(2)
const scorer = new PlainScorer(JSON.parse(readFileSync(definitionsFile, 'utf8')) as Definitions)
const database = new DatabaseSync(join(folder, 'peer.db'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
const keys = new Keys(database)
const audit: Audit = auditing === 'grouped' ? auditGrouped(database) : auditEach(database)

const app = Fastify({
  bodyLimit: 64 * 1024 * 1024,
  genReqId: () => randomUUID(),
  logger: true,
  // One line for each request, as the service writes it, in place of two.
  logController: new LogController({ disableRequestLogging: true }),
})
app.decorateRequest('key', null)
app.decorateRequest('bodyDigest', null)
app.decorateRequest('results', null)

app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
  request.bodyDigest = hash('sha256', body, 'base64')
  try {
    done(null, JSON.parse(body.toString()))
  } catch {
    done(Object.assign(new Error('The body is not JSON.'), { statusCode: 400 }))
  }
})

app.addHook('onRequest', async (request, reply) => {
  request.key = keys.find(request.headers.authorization)
  if (request.key === null) return reply.code(401).send({ error: 'The API key is missing or not valid.' })
  if (!request.key.scopes.includes('readmission'))
    return reply.code(403).send({ error: 'The key lacks the scope.' })
})

app.addHook('onSend', async (request, reply, payload) => {
  const { id, key, bodyDigest, results } = request
  await audit({
    at: new Date().toISOString(),
    requestId: id,
    keyId: key?.id ?? null,
    call: 'score',
    model: 'readmission30@1.0.4',
    status: reply.statusCode,
    records: results?.length ?? null,
    scored: results?.filter(({ risk }) => risk !== null).length ?? null,
    problems: results?.reduce((sum, { error_message }) => sum + (error_message?.length ?? 0), 0) ?? null,
    bodyDigest,
    answerDigest: hash('sha256', payload as string, 'base64'),
    durationMs: reply.elapsedTime,
  })
  return payload
})

app.addHook('onResponse', async (request, reply) => {
  const { method, key, results, routeOptions } = request
  const { statusCode: status, elapsedTime: durationMs } = reply
  const line = { method, route: routeOptions.url, status, durationMs, key: key?.id, records: results?.length }
  request.log.info(line, 'request')
})

app.post('/risk/api/do/v0', async (request, reply) => {
  if (!Array.isArray(request.body)) return reply.code(400).send({ error: 'The body must be an array.' })
  request.results = scorer.score(request.body as Readonly<Record<string, unknown>>[])
  return request.results
})

const origin = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`listening ${new URL(origin).port} key ${keys.make('bench', ['readmission'])}\n`)
