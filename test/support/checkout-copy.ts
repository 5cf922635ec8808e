/** A copy of the checkout that runs by itself: its packages are those of the copy, and everything from elsewhere is linked. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** What the service needs of a checkout. */
const NEEDED = ['bin', 'packages', 'api', 'clinical', 'docs', 'examples', 'package.json']
const LEFT_OUT = new Set(['test', 'node_modules', 'built'])

export interface CopyOptions {
  /** Names of packages from elsewhere, or of their scopes, that the copy lacks. */
  readonly without?: RegExp
  /** The build of the page is left out unless it is asked for. */
  readonly isBuilt?: boolean
}

/** Copies the checkout into a folder, which may exist. */
export function copyCheckout(folder: string, { without, isBuilt = false }: CopyOptions = {}): void {
  const isCopied = (path: string): boolean =>
    !LEFT_OUT.has(basename(path)) || (isBuilt && basename(path) === 'built')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  for (const name of NEEDED) cpSync(name, join(folder, name), { recursive: true, filter: isCopied })
  linkPackages(folder, without)
}

/** Links every installed package from elsewhere, and those of the copy by their names. */
export function linkPackages(folder: string, without?: RegExp): void {
  const own = ownPackages(folder)
  for (const name of installedPackages()) {
    if (without?.test(name) === true || own.has(name)) continue
    link(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  for (const [name, path] of own) link(path, join(folder, 'node_modules', name))
}

function ownPackages(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(join(folder, 'packages')).map((name) => join(folder, 'packages', name))
  return new Map(
    paths.map((path) => {
      const { name } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { name: string }
      return [name, path]
    }),
  )
}

function installedPackages(): readonly string[] {
  return readdirSync('node_modules').flatMap((name) => {
    if (name.startsWith('.')) return []
    if (!name.startsWith('@')) return [name]
    return readdirSync(join('node_modules', name)).map((inner) => `${name}/${inner}`)
  })
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) symlinkSync(relative(dirname(path), target), path)
}
