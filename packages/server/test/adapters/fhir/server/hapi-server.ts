/**
 * HAPI's JPA server with H2 in memory (Maven Central) as a process of its own. What is downloaded and compiled is kept in the cache
 * folder; where it cannot be had, the reason is one line.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Resource } from '../source.ts'

const CACHE = resolve('node_modules/.cache/fhir')
const FOLDER = 'packages/server/test/adapters/fhir/server'
const PROGRAM = join(FOLDER, 'FhirServer.java')
const POM = join(FOLDER, 'pom.xml')
/** The first start creates some hundred tables; a minute on two slow cores. */
const START_MS = 240_000
// The server lives for a minute or two, so the optimizing compiler costs more than it gives.
const JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

export const NO_HAPI = 'HAPI JPA cannot be downloaded; it needs Java 17 (JDK), Maven and Maven Central'

/** The class path of the server, downloaded and compiled where that is not done; undefined where it cannot be had. */
export function prepareHapi(): string | undefined {
  const digest = createHash('sha256').update(readFileSync(POM)).update(readFileSync(PROGRAM)).digest('hex')
  const classes = join(CACHE, `server-${digest.slice(0, 12)}`)
  const file = `${classes}.classpath`
  mkdirSync(CACHE, { recursive: true })
  try {
    if (!existsSync(file)) {
      const goal = ['-q', '-B', '-f', POM, 'dependency:build-classpath', `-Dmdep.outputFile=${file}`]
      execFileSync('mvn', goal, { stdio: 'ignore' })
    }
    const libraries = readFileSync(file, 'utf8').trim()
    if (!existsSync(join(classes, 'FhirServer.class')))
      execFileSync('javac', ['-nowarn', '-cp', libraries, '-d', classes, PROGRAM], { stdio: 'ignore' })
    return `${classes}:${libraries}`
  } catch {
    return undefined
  }
}

export interface HapiServer {
  readonly port: number
  readonly pageSize: number
  /** Stores resources under their own ids, in one transaction. */
  load(resources: readonly Resource[]): Promise<void>
  close(): void
}

/** HAPI returns at most this many resources a page. */
export async function startHapi(classPath: string, pageSize: number): Promise<HapiServer> {
  const child = spawn('java', [...JVM, '-cp', classPath, 'FhirServer', String(pageSize)], {
    // The server ends with its input, so it ends with this process.
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const { promise, resolve: started, reject } = Promise.withResolvers<number>()
  const timer = setTimeout(() => reject(new Error(`HAPI did not start within ${START_MS} ms`)), START_MS)
  let text = ''
  child.stdout.on('data', (part: Buffer) => {
    text += String(part)
    const port = /listening on (\d+)/.exec(text)?.[1]
    if (port !== undefined) started(Number(port))
  })
  child.on('exit', (code) => reject(new Error(`HAPI ended with ${String(code)}: ${text}`)))
  child.on('error', reject)
  try {
    return connected(await promise, pageSize, () => void child.kill())
  } catch (error) {
    child.kill()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** A server that is running on a port. */
export function connected(port: number, pageSize: number, close: () => void): HapiServer {
  return {
    port,
    pageSize,
    async load(resources) {
      const entry = resources.map((resource) => ({
        resource,
        request: { method: 'PUT', url: `${String(resource['resourceType'])}/${String(resource['id'])}` },
      }))
      const answer = await fetch(`http://127.0.0.1:${port}/fhir`, {
        method: 'POST',
        headers: { 'content-type': 'application/fhir+json' },
        body: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }),
      })
      if (!answer.ok) throw new Error(`HAPI did not store a Bundle: ${await answer.text()}`)
    },
    close,
  }
}
