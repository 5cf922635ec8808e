/** A folder of inputs and one of outputs for tests of `score --changed`. */
import { hash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Ran, runHere } from '../../../../../test/support/run-command.ts'

export interface ManifestJson {
  readonly model: string
  readonly deploymentDigest: string
  readonly today: string
  readonly complete: boolean
  readonly files: Readonly<Record<string, ManifestEntry>>
}

export interface ManifestEntry {
  readonly input: { readonly size: number; readonly sha256: string; readonly stamp?: string }
  readonly output: string
  readonly sha256: string
  readonly rows: number
  readonly scored: number
  readonly problems: number
  readonly model: string
  readonly deploymentDigest: string
  readonly gone: boolean
  readonly keyed?: {
    readonly changed: number
    readonly deleted: number
    readonly isWhole: boolean
    readonly since?: string
  }
}

export class NightlyFolder {
  readonly root = mkdtempSync(join(tmpdir(), 'nightly-'))
  readonly inputs = join(this.root, 'in')
  readonly outputs = join(this.root, 'out')

  constructor() {
    mkdirSync(this.inputs)
  }

  /** The same inputs and outputs in a folder of their own. */
  copy(): NightlyFolder {
    const made = new NightlyFolder()
    cpSync(this.root, made.root, { recursive: true, preserveTimestamps: true })
    return made
  }

  write(name: string, content: string): void {
    const path = join(this.inputs, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }

  remove(name: string): void {
    rmSync(join(this.inputs, name), { recursive: true })
  }

  /** The arguments of a run. */
  args(...options: readonly string[]): readonly string[] {
    return ['score', this.inputs, '--output-dir', this.outputs, '--changed', '--threads', '1', ...options]
  }

  run(options: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return runHere(this.args(...options), env)
  }

  /** The last line of what a run prints: what was done, and why. */
  async line(options: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { err } = await this.run(options, env)
    return err.trimEnd().split('\n').at(-1) ?? ''
  }

  manifest(): ManifestJson {
    return JSON.parse(readFileSync(join(this.outputs, 'risk-manifest.json'), 'utf8')) as ManifestJson
  }

  output(name: string): string {
    return readFileSync(join(this.outputs, name), 'utf8')
  }

  /** Everything that a reader of the folder sees, without hidden files. */
  names(): readonly string[] {
    const all = readdirSync(this.outputs, { recursive: true }) as string[]
    return all.filter((name) => !name.startsWith('.') && statSync(join(this.outputs, name)).isFile()).sort()
  }

  hashOf(name: string): string {
    return hash('sha256', readFileSync(join(this.outputs, name)), 'hex')
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true })
  }
}
