/** Versions of the service side by side, as docs/operations.md installs them: a folder for each, and a link to the one that runs. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { until } from '../support/until.ts'

const START_MS = 120_000

export interface Started {
  readonly origin: string
  readonly key: string | undefined
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export class Releases {
  readonly folder: string
  private readonly current: string

  constructor(folder: string) {
    this.folder = folder
    this.current = join(folder, 'current')
    mkdirSync(join(folder, 'releases'))
  }

  /** The files of a commit, with the packages of others that this checkout has. */
  install(version: string, commit: string): void {
    const target = join(this.folder, 'releases', version)
    mkdirSync(target)
    const files = execFileSync('git', ['archive', commit], { maxBuffer: 1 << 28 })
    execFileSync('tar', ['-x', '-C', target], { input: files })
    linkPackages(resolve('node_modules'), join(target, 'node_modules'))
  }

  /** This checkout. */
  installThis(version: string): void {
    symlinkSync(process.cwd(), join(this.folder, 'releases', version))
  }

  /** In one step, so that there is always a version. */
  use(version: string): void {
    const next = join(this.folder, 'next')
    symlinkSync(join('releases', version), next)
    renameSync(next, this.current)
  }

  /** A command of the version that is installed in a folder; of the one in use without a name. */
  run(
    env: NodeJS.ProcessEnv,
    args: readonly string[],
    version?: string,
  ): { code: number | null; said: string } {
    const cwd = version === undefined ? this.current : join(this.folder, 'releases', version)
    const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/patient-risk.js', ...args], {
      cwd,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    return { code: status, said: stdout + stderr }
  }

  /** Starts what the link names. Fails with what it has printed. The first start on a store prints a key, some time after the port. */
  async start(env: NodeJS.ProcessEnv, isFirst = false): Promise<Started> {
    const child: ChildProcess = spawn(process.execPath, ['bin/patient-risk.js', 'serve'], {
      cwd: this.current,
      env: { ...process.env, PORT: '0', LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')))
    const exited = once(child, 'exit').then(([code]) => code as number | null)
    const origin = await until(
      () => {
        if (child.exitCode !== null) throw new Error(printed)
        return isFirst && keyIn(printed) === undefined ? undefined : /"origin":"([^"]+)"/.exec(printed)?.[1]
      },
      { timeoutMs: START_MS },
    )
    const ready = async (): Promise<boolean> =>
      fetch(`${origin}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(ready, { timeoutMs: START_MS })
    return {
      origin,
      key: keyIn(printed),
      async stop(signal = 'SIGTERM') {
        child.kill(signal)
        return exited
      },
    }
  }
}

/** Scope of the packages of the repository. */
const OWN_SCOPE = '@patient-risk'

/** The packages of the repository are links into it, and stay so: an older version uses its own. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    const path = join(from, name)
    if (name === OWN_SCOPE) linkPackages(path, join(to, name))
    else symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, join(to, name))
  }
}

const keyIn = (printed: string): string | undefined => /prk_[0-9A-Za-z]+_[0-9A-Za-z]+/.exec(printed)?.[0]
