/**
 * `npm run pack`: makes the three published packages as tarballs in `build/`. Each is staged in a folder of its own, with
 * compiled code, because Node strips no types under node_modules, and with a package.json made from those of the workspaces.
 *
 * `patient-risk` holds the packages that are not published. Their folders are those of `packages/`, below `dist/`, so that the
 * relative paths to `clinical/`, `api/` and `docs/` are the same; only the names of the packages become relative paths.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { buildWorkbench } from '../packages/workbench/build.ts'

/** What `patient-risk` holds besides code. */
export const PACKED_FILES = [
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

/** The page: esbuild has put what it is made of into its files. */
const BUNDLED_WHOLE = '@patient-risk/workbench'

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies?: Versions
  readonly peerDependencies?: Versions
  readonly [field: string]: unknown
}

/** The paths of the tarballs. */
export interface Tarballs {
  readonly engine: string
  readonly service: string
  readonly client: string
}

/** Makes the tarballs in a folder, which it empties first. */
export async function pack(folder: string): Promise<Tarballs> {
  rmSync(folder, { recursive: true, force: true })
  const compiled = join(folder, 'compiled')
  const compiler = 'node_modules/typescript/bin/tsc'
  const options = ['--project', 'tsconfig.build.json', '--outDir', compiled]
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' })
  const engine = join(folder, 'patient-risk-engine')
  stageEngine(compiled, engine)
  const service = join(folder, 'patient-risk')
  await stageService(compiled, service)
  return {
    engine: packFolder(engine, folder),
    service: packFolder(service, folder),
    client: packFolder('clients/typescript', folder),
  }
}

function stageEngine(compiled: string, stage: string): void {
  const source = 'packages/engine'
  const manifest = readManifest(source)
  cpSync(join(compiled, source, 'src'), join(stage, 'dist'), { recursive: true })
  cpSync('LICENSE', join(stage, 'LICENSE'))
  const page = join(source, 'README.md')
  if (existsSync(page)) cpSync(page, join(stage, 'README.md'))
  writeManifest(stage, {
    ...published(manifest),
    exports: compiledExports(manifest.exports, 'dist'),
    dependencies: ofOthers(manifest.dependencies),
  })
}

async function stageService(compiled: string, stage: string): Promise<void> {
  const source = 'packages/patient-risk'
  const manifest = readManifest(source)
  const dist = join(stage, 'dist')
  cpSync(join(compiled, 'packages'), dist, { recursive: true })
  nameByPath(globSync(`${dist}/**/*.{js,d.ts}`), dist)
  await buildWorkbench(join(dist, 'workbench/built'))
  cpSync(join(source, 'bin'), join(stage, 'bin'), { recursive: true })
  for (const file of trackedFiles(PACKED_FILES)) cpSync(file, join(stage, file))
  const bundled = [...manifestsOf('packages/*').values()].filter(({ name }) => name !== BUNDLED_WHOLE)
  writeManifest(stage, {
    ...published(manifest),
    // The command line is a door for the tests of the checkout alone.
    exports: compiledExports(without(manifest.exports, './cli'), 'dist/patient-risk/src'),
    dependencies: unionOf(bundled.map((each) => ofOthers(each.dependencies))),
  })
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

/** Writes relative paths, below `dist`, where files import packages of this repository. */
export function nameByPath(files: readonly string[], dist: string): void {
  const doors = new Map<string, string>()
  for (const [folder, { name, exports }] of manifestsOf('packages/*')) {
    for (const [door, path] of Object.entries(exports))
      doors.set(posix.join(name, door), join(dist, relative('packages', folder), path))
  }
  for (const file of files) {
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

function packFolder(folder: string, destination: string): string {
  const options = ['--json', '--workspaces=false', '--pack-destination', resolve(destination)]
  const report = execFileSync('npm', ['pack', ...options], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [packed] = JSON.parse(report) as [{ readonly filename: string }]
  return join(destination, packed.filename)
}

if (import.meta.main) {
  const tarballs = await pack('build')
  for (const path of Object.values(tarballs)) process.stdout.write(`${path}\n`)
}
