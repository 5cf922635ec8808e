/** Python packages for tests that run programs of others: installed once into a folder of their own. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface PythonPackages {
  /** Below node_modules/.cache. */
  readonly folder: string
  readonly packages: readonly string[]
  /** What Python must be able to import. */
  readonly imports: readonly string[]
}

/** Returns the folder with the programs of the packages, or says why there is none. */
export function installPython({
  folder,
  packages,
  imports,
}: PythonPackages): string | { readonly missing: string } {
  const home = resolve('node_modules/.cache', folder)
  const programs = join(home, 'bin')
  const python = join(programs, 'python')
  const areThere = (): boolean =>
    existsSync(python) && spawnSync(python, ['-c', `import ${imports.join(', ')}`]).status === 0
  if (areThere()) return programs
  if (spawnSync('python3', ['--version']).status !== 0) return { missing: 'Python 3 is needed.' }
  mkdirSync(home, { recursive: true })
  if (spawnSync('python3', ['-m', 'venv', home]).status !== 0)
    return { missing: 'Python cannot make a virtual environment.' }
  process.stdout.write(`installing ${packages.join(', ')} into ${home}\n`)
  const { status } = spawnSync(python, ['-m', 'pip', 'install', '--quiet', ...packages])
  if (status !== 0 || !areThere())
    return { missing: `${packages.join(', ')} cannot be installed from the package index.` }
  return programs
}

/** Ends a script of its own that cannot run here, with the one line that says why. */
export function skipScript(name: string, reason: string): never {
  process.stdout.write(`${name} is skipped: ${reason}\n`)
  process.exit(0)
}
