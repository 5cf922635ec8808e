/** Runs single test files in the copy, each in a process of its own that is ended with everything that it has started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A file that takes this much longer than without a mutant does not end. */
const PATIENCE = { factor: 5, ms: 20_000 }
const LONGEST_MS = 300_000

export interface Covered {
  readonly ms: number
  readonly mutants: readonly string[]
}

export class TestFiles {
  private readonly folder: string
  private readonly env: NodeJS.ProcessEnv

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder
    this.env = env
  }

  /** The mutants that a test file reaches; undefined where it fails without any. */
  async cover(file: string): Promise<Covered | undefined> {
    const noted = mkdtempSync(join(this.folder, 'coverage-'))
    const start = performance.now()
    const isPassed = await this.run(file, LONGEST_MS, {
      MUTANT_COVERAGE: noted,
      NODE_OPTIONS: `--import=${join(this.folder, 'test/mutation/note-coverage.ts')}`,
    })
    const ms = performance.now() - start
    const ids = readdirSync(noted).flatMap((name) => readFileSync(join(noted, name), 'utf8').split('\n'))
    rmSync(noted, { recursive: true })
    return isPassed ? { ms, mutants: [...new Set(ids)] } : undefined
  }

  async passes(file: string, mutant: string, usualMs: number): Promise<boolean> {
    const limitMs = Math.min(LONGEST_MS, PATIENCE.factor * usualMs + PATIENCE.ms)
    return this.run(file, limitMs, { __STRYKER_ACTIVE_MUTANT__: mutant })
  }

  private async run(file: string, limitMs: number, env: NodeJS.ProcessEnv): Promise<boolean> {
    // Ended tests leave their files here.
    const temporary = join(this.folder, 'temporary')
    mkdirSync(temporary, { recursive: true })
    const reporter = join(this.folder, 'test/mutation/first-failure.ts')
    const child = spawn(process.execPath, [`--test-reporter=${reporter}`, file], {
      cwd: this.folder,
      stdio: 'ignore',
      // A group of its own, which is ended as a whole.
      detached: true,
      env: {
        ...process.env,
        ...this.env,
        ...env,
        SEED: '1',
        TMPDIR: temporary,
        NODE_COMPILE_CACHE: join(this.folder, 'compiled'),
      },
    })
    const endGroup = (): void => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    process.once('exit', endGroup)
    const timer = setTimeout(endGroup, limitMs)
    const [code] = (await once(child, 'exit')) as [number | null]
    clearTimeout(timer)
    endGroup()
    process.off('exit', endGroup)
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
    return code === 0
  }
}
