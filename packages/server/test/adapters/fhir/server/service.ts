/** The service under test, as a process of its own with a configuration that names the guarded servers. Its whole log is kept. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JWK, exportJWK, generateKeyPair } from 'jose'
import { spawnGroup } from '../../../../../../test/support/own-group.ts'
import { until } from '../../../../../../test/support/until.ts'

export const CLIENT_ID = 'patient-risk'
export const TYPES = [
  'Patient',
  'Encounter',
  'Observation',
  'Condition',
  'Procedure',
  'QuestionnaireResponse',
]
export const SCOPE = TYPES.map((type) => `system/${type}.rs`).join(' ')
/** Those with backend access, by the model they serve, and their paths. One more deployment has none. */
export const DEPLOYMENTS = [
  { name: 'readmission', model: 'readmission30', basePath: '/' },
  { name: 'hospital', model: 'hospital', basePath: '/hospital' },
  { name: 'lace', model: 'lace', basePath: '/lace' },
  { name: 'charlson', model: 'charlson10y', basePath: '/charlson' },
  { name: 'profund', model: 'profund', basePath: '/profund' },
] as const
export const CLOSED_DEPLOYMENT = { name: 'closed', model: 'readmission30', basePath: '/closed' }

export interface Listed {
  readonly url: string
  /** The algorithm of the key of SMART Backend Services; undefined for a server that only hooks use. */
  readonly algorithm?: 'RS384' | 'ES384'
  readonly tokenUrl?: string
}

export interface Service {
  readonly origin: string
  /** Everything that it has printed so far. */
  log(): string
  /** Every answer so far. */
  readonly answers: readonly string[]
  /** What must appear in no answer and no line of the log. */
  readonly secrets: readonly string[]
  post(path: string, body: unknown, type?: string): Promise<Answer>
  get(path: string): Promise<Answer>
  close(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly ms: number
  json(): unknown
}

/** Longer than every limit of the service: what takes this long hangs. */
const PATIENCE_MS = 60_000

export async function newKey(algorithm: 'RS384' | 'ES384'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg: algorithm, kid: randomUUID(), use: 'sig' }
}

export async function startService(listed: readonly Listed[]): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-fhir-'))
  const secrets: string[] = []
  const servers = await Promise.all(
    listed.map(async ({ url, algorithm, tokenUrl }, at) => {
      if (algorithm === undefined) return { url, internal: true }
      const key = await newKey(algorithm)
      const file = join(folder, `key-${at}.json`)
      writeFileSync(file, JSON.stringify(key), { mode: 0o600 })
      secrets.push(String(key.d))
      const deployments = DEPLOYMENTS.map(({ name }) => name)
      const backend = {
        clientId: CLIENT_ID,
        key: file,
        scope: SCOPE,
        deployments,
        ...(tokenUrl && { tokenUrl }),
      }
      return { url, internal: true, backend }
    }),
  )
  const cdsHooks = { hooks: ['patient-view', 'encounter-discharge'] }
  const deployments = [...DEPLOYMENTS, CLOSED_DEPLOYMENT].map((each) => ({
    ...each,
    output: 'number',
    cdsHooks,
  }))
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify({ timeZone: 'Europe/Madrid', fhir: { servers }, deployments }))
  const child = spawnGroup(process.execPath, ['bin/patient-risk.js', 'serve', '--port', '0'], {
    cwd: process.cwd(),
    env: { ...process.env, CONFIG: file, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'trace' },
  })
  let text = ''
  let hasEnded = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (text += String(part)))
  child.on('exit', () => (hasEnded = true))
  const found = (pattern: RegExp): string | undefined => pattern.exec(text)?.[1]
  await until(() => hasEnded || (found(/"origin":"([^"]+)"/) && found(/(prk_[0-9A-Za-z_]+)/)), {
    what: 'the service to listen',
  })
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    await until(() => hasEnded, { what: 'the service to stop' })
    rmSync(folder, { recursive: true, force: true })
  }
  const origin = found(/"origin":"([^"]+)"/)
  const apiKey = found(/(prk_[0-9A-Za-z_]+)/)
  if (origin === undefined || apiKey === undefined) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`The service did not start:\n${text}`)
  }
  const answers: string[] = []
  const call = async (
    path: string,
    init: RequestInit,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const start = performance.now()
    const response = await fetch(origin + path, {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const body = await response.text()
    answers.push(body)
    const ms = performance.now() - start
    return { status: response.status, text: body, ms, json: () => JSON.parse(body) as unknown }
  }
  return {
    origin,
    log: () => text,
    answers,
    secrets,
    post: (path, body, type = 'application/fhir+json') =>
      call(path, { method: 'POST', body: JSON.stringify(body) }, { 'content-type': type }),
    get: (path) => call(path, {}),
    close,
  }
}
