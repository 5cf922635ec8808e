/** A trial of the audit: a service on a folder of its own, its database in the hands of an attacker, and the commands of an operator. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { exchange } from '../../../../test/support/exchange.ts'
import type { Verdict } from './part.ts'
import { type Running, startOn } from './store-process.ts'

export { scoreOnce } from './store-process.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

export interface AuditTrial {
  readonly dataDir: string
  readonly service: Running
  readonly key: string
  /** The database, opened beside the service. */
  readonly database: DatabaseSync
  /** What `audit verify` complains of; empty where it calls the chain intact. */
  readonly verify: (...options: readonly string[]) => Promise<string>
  /** What broke the promise. */
  readonly faults: string[]
}

export async function auditTrial(
  { plant, ...rest }: { readonly plant: string | undefined; readonly unknownFields?: 'report' },
  run: (trial: AuditTrial) => Promise<Verdict['figures']>,
): Promise<Verdict> {
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-audit-'))
  const service = await startOn({
    dataDir,
    isFirst: true,
    ...rest,
    ...(plant === undefined ? {} : { plant }),
  })
  const database = new DatabaseSync(join(dataDir, 'patient-risk.sqlite'), { timeout: 10_000 })
  const faults: string[] = []
  const verify = async (...options: readonly string[]): Promise<string> => {
    const { code, errors } = await auditCommand(dataDir, ['verify', ...options], plant)
    return code === 0 ? '' : errors
  }
  try {
    const key = service.key ?? ''
    const figures = await run({ dataDir, service, key, database, verify, faults })
    return { faults, figures }
  } finally {
    database.close()
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Runs `patient-risk audit …` on a data folder, as an operator does. */
export function auditCommand(
  dataDir: string,
  options: readonly string[],
  plant?: string,
): Promise<{ readonly code: number; readonly output: string; readonly errors: string }> {
  const planted = plant === undefined ? [] : ['--import', `./packages/server/test/torture/plants/${plant}.ts`]
  const env = { ...process.env, CONFIG: join(dataDir, 'config.json'), DATA_DIR: dataDir }
  return new Promise((resolve) => {
    const args = [...planted, 'packages/patient-risk/src/cli/main.ts', 'audit', ...options]
    const child = execFile(process.execPath, args, { cwd: ROOT, env }, (_error, output, errors) => {
      resolve({ code: child.exitCode ?? -1, output, errors })
    })
  })
}

export async function isReady(origin: string): Promise<boolean> {
  return (await exchange(origin, { path: '/health/ready' })).status === 200
}
