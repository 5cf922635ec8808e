/** Packs the TypeScript client from a clean copy of the checkout, and installs it as a user does: in an empty folder, offline. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join, resolve } from 'node:path'
import { transformSync } from 'esbuild'

const PACKAGE = 'clients/typescript'
const PROGRAM = 'test/clients/use-client.ts'

export interface PackedFile {
  readonly path: string
  readonly size: number
}

export interface PackedClient {
  /** The folder of the user, with the client in its node_modules and the program `use-client.js`. */
  readonly folder: string
  readonly tarball: { readonly path: string; readonly bytes: number; readonly files: readonly PackedFile[] }
  remove(): void
}

export function packClient(): PackedClient {
  const root = mkdtempSync(join(tmpdir(), 'client-'))
  const checkout = join(root, 'checkout')
  const folder = join(root, 'user')
  const isSource = (path: string): boolean => !['dist', 'node_modules'].includes(basename(path))
  cpSync(PACKAGE, join(checkout, PACKAGE), { recursive: true, filter: isSource })
  cpSync('tsconfig.json', join(checkout, 'tsconfig.json'))
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'))
  mkdirSync(folder)
  const report = execFileSync('npm', ['pack', '--json', '--pack-destination', root], {
    cwd: join(checkout, PACKAGE),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [packed] = JSON.parse(report) as [{ filename: string; size: number; files: readonly PackedFile[] }]
  const path = join(root, packed.filename)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const options = ['--offline', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...options, path], {
    cwd: folder,
    env: { ...process.env, PATH: userPath() },
  })
  writeFileSync(
    join(folder, 'use-client.js'),
    transformSync(readFileSync(PROGRAM, 'utf8'), { loader: 'ts' }).code,
  )
  writeFileSync(
    join(folder, 'main.js'),
    `import { useClient } from './use-client.js'
const [origin, key, flaky] = process.argv.slice(2)
console.log((await useClient({ origin, key, flaky })).join('\\n'))
`,
  )
  return {
    folder,
    tarball: { path, bytes: packed.size, files: packed.files },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  }
}

/** Without the checkout's own Node in front: what a user's shell finds. */
export function userPath(): string {
  const path = (process.env['PATH'] ?? '').split(delimiter)
  return path.filter((entry) => !entry.includes('node_modules')).join(delimiter)
}
