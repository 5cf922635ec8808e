/**
 * `npm run pack`: makes the three published packages as tarballs in `build/`. Each is staged in a folder of its own, with
 * compiled code, because Node strips no types under node_modules, and with a package.json made from those of the workspaces.
 *
 * `patient-risk` holds the packages that are not published. Their folders are those of `packages/`, below `dist/`, so that the
 * relative paths to `clinical/`, `api/` and `docs/` are the same; only the names of the packages become relative paths.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { buildWorkbench } from '../packages/workbench/build.ts'

export const BUILD = 'build'
const COMPILED = join(BUILD, 'compiled')
const PAGE = 'packages/workbench/built'

/** What `patient-risk` holds besides code. */
const FILES = [
  'clinical',
  'api',
  'docs',
  'ops',
  'examples',
  'clients/python',
  'clients/r',
  'clients/typescript/README.md',
  'bench/results.md',
  'Dockerfile',
  'compose.yaml',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
]

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies?: Versions
  readonly peerDependencies?: Versions
  readonly [field: string]: unknown
}

/** Makes the tarballs, and returns their paths by the names of the packages. */
export async function pack(): Promise<Readonly<Record<string, string>>> {
  rmSync(BUILD, { recursive: true, force: true })
  await buildWorkbench(PAGE)
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
    stdio: 'inherit',
  })
  return {
    'patient-risk-engine': stageEngine(),
    'patient-risk': stageService(),
    'patient-risk-client': packFolder('clients/typescript'),
  }
}

function stageEngine(): string {
  const folder = 'packages/engine'
  const stage = join(BUILD, 'patient-risk-engine')
  const manifest = readManifest(folder)
  cpSync(join(COMPILED, folder, 'src'), join(stage, 'dist'), { recursive: true })
  cpSync('LICENSE', join(stage, 'LICENSE'))
  for (const file of globSync('README.md', { cwd: folder })) cpSync(join(folder, file), join(stage, file))
  writeManifest(stage, {
    ...published(manifest),
    exports: compiledExports(manifest.exports, 'dist'),
    files: ['dist'],
    dependencies: ofOthers(manifest.dependencies),
  })
  return packFolder(stage)
}

function stageService(): string {
  const folder = 'packages/patient-risk'
  const stage = join(BUILD, 'patient-risk')
  const manifest = readManifest(folder)
  const doors = manifestsOf('packages/*')
  cpSync(join(COMPILED, 'packages'), join(stage, 'dist'), { recursive: true })
  cpSync(join(COMPILED, 'clients/typescript/src'), join(stage, 'clients/typescript/src'), { recursive: true })
  nameByPath(join(stage, 'dist'), doors)
  cpSync(PAGE, join(stage, 'dist/workbench/built'), { recursive: true })
  cpSync(join(folder, 'bin'), join(stage, 'bin'), { recursive: true })
  for (const file of trackedFiles(FILES)) cpSync(file, join(stage, file))
  // The command line is a door for the tests of the checkout alone.
  const exports = without(manifest.exports, './cli')
  const bundled = [...doors.values()].filter((each) => each.name !== '@patient-risk/workbench')
  writeManifest(stage, {
    ...published(manifest),
    exports: compiledExports(exports, 'dist/patient-risk/src'),
    dependencies: unionOf(bundled.map((each) => ofOthers(each.dependencies))),
  })
  return packFolder(stage)
}

/** The package.json files of the workspaces, by their folders. */
function manifestsOf(pattern: string): ReadonlyMap<string, Manifest> {
  const folders = globSync(`${pattern}/package.json`).sort().map(dirname)
  return new Map(folders.map((folder) => [folder, readManifest(folder)]))
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** Without what only a workspace needs. */
const published = (manifest: Manifest): object => without(manifest, 'scripts', 'devDependencies')

function without<T>(
  object: Readonly<Record<string, T>>,
  ...names: readonly string[]
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

/** Dependencies from outside of this repository. */
function ofOthers(dependencies: Versions = {}): Versions {
  const own = new Set([...manifestsOf('packages/*').values()].map(({ name }) => name))
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !own.has(name)))
}

/** All dependencies of several packages. Two versions of one would need two copies of it. */
function unionOf(all: readonly Versions[]): Versions {
  const union = new Map<string, string>()
  for (const [name, version] of all.flatMap((each) => Object.entries(each))) {
    const known = union.get(name) ?? version
    if (known !== version) throw new Error(`packages ask for ${name} ${known} and ${version}`)
    union.set(name, version)
  }
  return Object.fromEntries([...union].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** `./src/x.ts` becomes `./FOLDER/x.js`, with its types. */
function compiledExports(exports: Readonly<Record<string, string>>, folder: string): object {
  const compiled = (path: string): object => {
    const stem = path.replace('./src/', `./${folder}/`).replace(/\.ts$/, '')
    return { types: `${stem}.d.ts`, default: `${stem}.js` }
  }
  return Object.fromEntries(Object.entries(exports).map(([door, path]) => [door, compiled(path)]))
}

const NAMED = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\2/g

/** Writes relative paths where the compiled files import packages of this repository. */
function nameByPath(dist: string, manifests: ReadonlyMap<string, Manifest>): void {
  const doors = new Map<string, string>()
  for (const [folder, { name, exports }] of manifests) {
    for (const [door, path] of Object.entries(exports))
      doors.set(posix.join(name, door), join(dist, relative('packages', folder), path))
  }
  for (const file of globSync(`${dist}/**/*.{js,d.ts}`)) {
    const text = readFileSync(file, 'utf8')
    const named = text.replace(NAMED, (all: string, before: string, quote: string, name: string) => {
      const door = doors.get(name)
      if (door === undefined) return all
      const path = relative(dirname(file), door).replace(/\.ts$/, '.js')
      return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
    })
    if (named !== text) writeFileSync(file, named)
  }
}

/** What git knows below these paths: nothing that a run has left there is published. */
function trackedFiles(paths: readonly string[]): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--', ...paths], { encoding: 'utf8' })
  return listed.split('\0').filter((path) => path !== '')
}

function writeManifest(stage: string, manifest: object): void {
  mkdirSync(stage, { recursive: true })
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function packFolder(folder: string): string {
  const options = ['--json', '--workspaces=false', '--pack-destination', resolve(BUILD)]
  const report = execFileSync('npm', ['pack', ...options], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [packed] = JSON.parse(report) as [{ readonly filename: string }]
  return join(BUILD, packed.filename)
}

if (import.meta.main) {
  for (const [name, path] of Object.entries(await pack())) process.stdout.write(`${name}: ${path}\n`)
}
