/**
 * `npm run test:object-store`: runs examples/duckdb on s3://, against moto, a server on this machine that speaks the protocol of S3.
 * Skipped where Python or the package index is missing.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPython, skipScript } from '../../../../../test/support/python-packages.ts'
import { until } from '../../../../../test/support/until.ts'
import { dayNights, onDuckDb } from '../day-nights.ts'

/** The extension is of the version of DuckDB that this repository uses. */
const PACKAGES = ['moto[s3,server]', 'duckdb-extension-httpfs==1.5.5']
const imports = ['moto', 'duckdb_extension_httpfs']
const programs = installPython({ folder: 's3', packages: PACKAGES, imports })
if (typeof programs !== 'string') skipScript('test:object-store', programs.missing)

const FIND =
  'import duckdb_extension_httpfs, glob; print(glob.glob(duckdb_extension_httpfs.__path__[0] + "/extensions/*/*")[0])'
const extension = spawnSync(join(programs, 'python'), ['-c', FIND], { encoding: 'utf8' }).stdout.trim()
const folder = mkdtempSync(join(tmpdir(), 'patient-risk-s3-'))
const port = await freePort()
const server = spawn(join(programs, 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], {
  stdio: 'ignore',
})
try {
  const bucket = new URL(`http://127.0.0.1:${port}/clinic`)
  await until(
    () =>
      fetch(bucket, { method: 'PUT' }).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeoutMs: 60_000 },
  )
  const setup = join(folder, 'setup.sql')
  writeFileSync(
    setup,
    `LOAD '${extension}';
CREATE SECRET (TYPE s3, KEY_ID 'test', SECRET 'test', REGION 'us-east-1', ENDPOINT '${bucket.host}', URL_STYLE 'path', USE_SSL false);
`,
  )
  await dayNights({ folder, root: 's3://clinic', setup }, onDuckDb)
  process.stdout.write(
    'six nights on s3:// have scored the days that had changed, with the answers of score\n',
  )
} finally {
  await end(server)
  rmSync(folder, { recursive: true, force: true })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exit = once(child, 'exit')
  child.kill()
  await exit
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}
