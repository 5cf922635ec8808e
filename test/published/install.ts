/** Installs a tarball as a user does: into an empty folder, with its own dependencies only and a Node of the user's choice. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, resolve } from 'node:path'
import { userPath } from '../clients/pack-client.ts'

const OPTIONS = ['--no-audit', '--no-fund', '--prefer-offline', '--silent']

export function install(folder: string, ...packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(resolve(folder, 'package.json'), '{"private":true,"type":"module"}')
  execFileSync('npm', ['install', ...OPTIONS, ...packages], {
    cwd: folder,
    env: userEnv(process.execPath),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The environment of a user's shell, in which `node` is this one. */
export function userEnv(node: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, PATH: dirname(node) + delimiter + userPath() }
  delete env['NODE_COMPILE_CACHE']
  // Else a run of tests inside this one reports to its runner, and prints nothing.
  delete env['NODE_TEST_CONTEXT']
  return env
}
