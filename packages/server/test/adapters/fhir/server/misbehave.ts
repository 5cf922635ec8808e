/** The ways in which the guarded server can be told to misbehave. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Resource } from '../source.ts'
import { MARK } from './cases.ts'

export const FAULTS = [
  'redirect',
  'hang',
  'drip',
  'status-500',
  'status-429',
  'html',
  'html-with-200',
  'broken-json',
  'endless',
  'gzip-bomb',
  'deep',
  'cut-off',
  'not-found',
  'unauthorized',
  'other-resource',
  'other-patient',
  'operation-outcome',
  'next-elsewhere',
  'next-outside-base',
  'next-loop',
  'next-endless',
] as const
export type Fault = (typeof FAULTS)[number]

/** Faults of the token endpoint and of what names it. */
export const TOKEN_FAULTS = [
  'token-redirect',
  'token-hang',
  'token-500',
  'token-html',
  'token-refused',
  'token-elsewhere',
  'smaller-scope',
  'no-configuration',
] as const
export type TokenFault = (typeof TOKEN_FAULTS)[number]

const FHIR_JSON = 'application/fhir+json;charset=UTF-8'
const LEVELS = 100_000
/** Some hundred kilobytes that become 200 MiB. */
const BOMB = gzipSync(`{"resourceType":"Bundle","id":"${'a'.repeat(200 * 1024 * 1024)}"}`)
const CHUNK = Buffer.alloc(65_536, 'a')

const outcome = (code: string): string =>
  JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] })

export function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

/** Answers a request wrongly. Returns false for faults that change the right answer. */
export function answerWrongly(fault: Fault, response: ServerResponse, elsewhere: string): boolean {
  switch (fault) {
    case 'redirect':
      response.writeHead(302, { location: `${elsewhere}/fhir/Patient/x` }).end()
      return true
    case 'hang':
      return true
    case 'drip':
      drip(response)
      return true
    case 'status-500':
      send(response, 500, FHIR_JSON, outcome('exception'))
      return true
    case 'status-429':
      response.setHeader('retry-after', '3600')
      send(response, 429, FHIR_JSON, outcome('throttled'))
      return true
    case 'html':
      send(response, 502, 'text/html', '<html>Bad Gateway</html>')
      return true
    case 'html-with-200':
      send(response, 200, 'text/html', '<html>Sign in</html>')
      return true
    case 'broken-json':
      send(response, 200, FHIR_JSON, '{"resourceType":"Bundle","type":"searchset","entry":[')
      return true
    case 'endless':
      endless(response)
      return true
    case 'gzip-bomb':
      response.writeHead(200, { 'content-type': FHIR_JSON, 'content-encoding': 'gzip' }).end(BOMB)
      return true
    case 'deep':
      send(
        response,
        200,
        FHIR_JSON,
        `{"resourceType":"Bundle","entry":${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}}`,
      )
      return true
    case 'cut-off':
      response.writeHead(200, { 'content-type': FHIR_JSON, 'content-length': 1000 }).write('{"resourceType":')
      setTimeout(() => response.destroy(), 50)
      return true
    case 'not-found':
      send(response, 404, FHIR_JSON, outcome('not-found'))
      return true
    case 'unauthorized':
      response.setHeader('www-authenticate', 'Bearer error="invalid_token"')
      send(response, 401, FHIR_JSON, outcome('login'))
      return true
    case 'other-resource':
      send(response, 200, FHIR_JSON, '{"resourceType":"Practitioner","id":"x"}')
      return true
    case 'operation-outcome':
      send(response, 200, FHIR_JSON, outcome('exception'))
      return true
    case 'other-patient':
    case 'next-elsewhere':
    case 'next-outside-base':
    case 'next-loop':
    case 'next-endless':
      return false
  }
}

/** Changes a right answer: its patient, or the next link of a page. */
export function changeAnswer(fault: Fault, page: Resource, asked: URL, elsewhere: string): Resource {
  if (fault === 'other-patient')
    return JSON.parse(JSON.stringify(page).replaceAll(MARK, 'someone-else-')) as Resource
  const next = nextUrl(fault, asked, elsewhere)
  if (next === undefined || page['resourceType'] !== 'Bundle') return page
  const links = (page['link'] ?? []) as readonly { readonly relation: string }[]
  const kept = links.filter(({ relation }) => relation !== 'next')
  // The total would tell that everything is there.
  return { ...page, total: undefined, link: [...kept, { relation: 'next', url: next }] }
}

function nextUrl(fault: Fault, asked: URL, elsewhere: string): string | undefined {
  if (fault === 'next-elsewhere') return `${elsewhere}${asked.pathname}${asked.search}`
  if (fault === 'next-outside-base') return `${asked.origin}/private${asked.search}`
  if (fault === 'next-loop') return asked.href
  if (fault !== 'next-endless') return undefined
  const next = new URL(asked)
  next.searchParams.set('page', String(Number(next.searchParams.get('page') ?? 1) + 1))
  return next.href
}

/** A byte now and then, for ever. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': FHIR_JSON })
  const timer = setInterval(() => response.write(' '), 200)
  response.on('close', () => clearInterval(timer))
}

/** A body without an end, as fast as it is read. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': FHIR_JSON })
  response.write('{"resourceType":"Bundle","type":"searchset","id":"')
  const write = (): void => {
    while (!response.destroyed && response.write(CHUNK));
  }
  response.on('drain', write)
  write()
}
