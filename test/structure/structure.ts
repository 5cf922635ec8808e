/**
 * Reads the structure of the repository from its imports: which file imports which, and what breaks the rules of
 * ARCHITECTURE.md. A package is entered through its `exports` alone, uses only what its package.json lists, and its folders
 * are layers in the order of layers.json.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Package {
  /** As in packages/engine. */
  readonly folder: string
  readonly name: string
  /** The files behind its exports, by the name that others import. */
  readonly doors: ReadonlyMap<string, string>
  readonly dependencies: ReadonlySet<string>
  readonly peers: ReadonlySet<string>
  readonly forTests: ReadonlySet<string>
}

export interface Import {
  readonly from: string
  /** As it is written. */
  readonly name: string
  /** The file of the repository that it leads to; undefined for Node and packages from elsewhere. */
  readonly to?: string
}

export type Layers = Readonly<Record<string, readonly string[]>>

export interface Structure {
  readonly packages: readonly Package[]
  readonly imports: readonly Import[]
  readonly layers: Layers
}

/** Code that runs without a host: no Node, no clock, no chance. */
const PURE = new Set(['packages/engine', 'packages/statistics', 'packages/monitor'])
const SOURCES = '{packages/*/{src,test,wasm},clients/typescript/src,test,bench,scripts}/**/*.{ts,tsx}'
const IMPORTED = /^(?:import|export)\b(?:[^'"`;()]*?\bfrom)?\s*'([^']+)'|\b(?:import|require)\(\s*'([^']+)'/gm
const NOT_CODE = /\/\*.*?\*\/|^\s*\/\/[^\n]*|`(?:[^`\\]|\\.)*`/gms
const DRAWER = /(^|\/)(utils?|helpers?|common|shared|misc)(\/|\.tsx?$)/

export function readStructure(root = '.'): Structure {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const packages = globSync('{packages/*,clients/typescript}/package.json', { cwd: root })
    .sort()
    .map((path) => packageOf(dirname(path), JSON.parse(read(path)) as Manifest))
  const files = globSync(SOURCES, { cwd: root }).filter((file) => !file.includes(`${sep}node_modules${sep}`))
  const imports = files.flatMap((file) =>
    importedBy(read(file)).map((name) => ({ from: file, name, ...target(root, packages, file, name) })),
  )
  return { packages, imports, layers: JSON.parse(read('layers.json')) as Layers }
}

function packageOf(folder: string, manifest: Manifest): Package {
  const doors = Object.entries(manifest.exports ?? {}).flatMap(([door, path]) =>
    typeof path === 'string' ? [[join(manifest.name, door), join(folder, path)] as const] : [],
  )
  return {
    folder,
    name: manifest.name,
    doors: new Map(doors),
    dependencies: new Set(Object.keys(manifest.dependencies ?? {})),
    peers: new Set(Object.keys(manifest.peerDependencies ?? {})),
    forTests: new Set(Object.keys(manifest.devDependencies ?? {})),
  }
}

/** The names that a text imports, also those of types and of imports on demand. */
export function importedBy(text: string): readonly string[] {
  const found = [...text.replaceAll(NOT_CODE, '``').matchAll(IMPORTED)]
  return found.map(([, still, onDemand]) => still ?? onDemand ?? '')
}

function target(
  root: string,
  packages: readonly Package[],
  file: string,
  name: string,
): { readonly to?: string } {
  if (!name.startsWith('.')) {
    const door = packages.find(({ doors }) => doors.has(name))?.doors.get(name)
    return door === undefined ? {} : { to: door }
  }
  const path = join(dirname(file), name)
  return { to: existsSync(join(root, path)) || !existsSync(join(root, `${path}.ts`)) ? path : `${path}.ts` }
}

/** The name of a package as it is listed: without what follows it. */
const listedName = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** Everything that breaks a rule, as sentences. */
export function breaches(structure: Structure): readonly string[] {
  return [
    ...structure.imports.flatMap((each) => breachOf(structure, each)),
    ...unusedDependencies(structure),
    ...cycles(
      structure.imports.map(({ from, to }) => [from, to] as const),
      'files',
    ),
    ...cycles(packageArrows(structure), 'packages'),
  ]
}

function breachOf({ packages, layers }: Structure, { from, name, to }: Import): readonly string[] {
  const owner = ownerOf(packages, from)
  const said = `${from} imports ${name}`
  if (DRAWER.test(name))
    return [`${said}: a helper lives beside its one user, or has a name that says what it does`]
  const isSource = owner !== undefined && !relative(owner.folder, from).startsWith('test')
  if (name.startsWith('.')) {
    const other = to === undefined ? undefined : ownerOf(packages, to)
    if (other !== undefined && other !== owner && !isBuildScript(to ?? ''))
      return [`${said}: ${other.name} is entered through its exports`]
    if (isSource && other === undefined)
      return [`${said}: a package imports nothing from outside by its path`]
    return owner === undefined || to === undefined ? [] : upward(layers, from, to, said)
  }
  if (!isSource) return []
  if (isBuiltin(name)) return PURE.has(owner.folder) ? [`${said}: this package runs without Node`] : []
  const listed = listedName(name)
  if (owner.dependencies.has(listed) || owner.peers.has(listed) || isBuiltFor(owner, name)) {
    const inside = packages.find((each) => each.name === listed)
    return inside !== undefined && !inside.doors.has(name)
      ? [`${said}: ${inside.name} does not export it`]
      : []
  }
  return [`${said}: the package.json of ${owner.folder} does not list it as a dependency`]
}

/** The page is bundled, so what it is made of is a development package. */
const isBuiltFor = (owner: Package, name: string): boolean =>
  owner.folder === 'packages/workbench' && owner.forTests.has(listedName(name))

/** Scripts and tests may build the page. */
const isBuildScript = (path: string): boolean =>
  path === 'packages/workbench/build.ts' || path.startsWith('clients/typescript/')

const ownerOf = (packages: readonly Package[], path: string): Package | undefined =>
  packages.find(({ folder }) => path.startsWith(`${folder}/`))

/** A folder imports only from itself and from folders that layers.json lists before it. Files beside the folders join them. */
function upward(layers: Layers, from: string, to: string, said: string): readonly string[] {
  return Object.entries(layers).flatMap(([root, order]) => {
    const own = layerIn(root, from)
    const other = layerIn(root, to)
    if (own === undefined || other === undefined || own === other) return []
    for (const each of [own, other])
      if (!order.includes(each)) return [`layers.json does not list ${root}/${each}`]
    return order.indexOf(other) > order.indexOf(own)
      ? [`${said}: ${other} lies above ${own} in layers.json`]
      : []
  })
}

function layerIn(root: string, path: string): string | undefined {
  if (!path.startsWith(`${root}/`)) return undefined
  const parts = relative(root, path).split(sep)
  return parts.length > 1 ? parts[0] : undefined
}

/** Dependencies that no source of the package imports. */
function unusedDependencies({ packages, imports }: Structure): readonly string[] {
  return packages.flatMap(({ folder, dependencies }) => {
    const sources = imports.filter(({ from }) => from.startsWith(`${folder}/src/`))
    const used = new Set(sources.map(({ name }) => listedName(name)))
    return [...dependencies]
      .filter((name) => !used.has(name))
      .map((name) => `${folder}/package.json lists ${name}, and nothing imports it`)
  })
}

function packageArrows({ packages, imports }: Structure): readonly (readonly [string, string | undefined])[] {
  return imports
    .filter(({ from }) => /^(packages\/[^/]+|clients\/typescript)\/src\//.test(from))
    .map(({ from, to }) => [
      ownerOf(packages, from)?.name ?? '',
      to === undefined ? undefined : ownerOf(packages, to)?.name,
    ])
}

/** Each circle of arrows once. */
function cycles(arrows: readonly (readonly [string, string | undefined])[], what: string): readonly string[] {
  const next = new Map<string, Set<string>>()
  for (const [from, to] of arrows) {
    if (to === undefined || to === from) continue
    next.set(from, (next.get(from) ?? new Set()).add(to))
  }
  const found: string[] = []
  const done = new Set<string>()
  const walk = (place: string, path: readonly string[]): void => {
    if (path.includes(place)) {
      found.push(`a circle of ${what}: ${[...path.slice(path.indexOf(place)), place].join(' → ')}`)
      return
    }
    if (done.has(place)) return
    for (const each of next.get(place) ?? []) walk(each, [...path, place])
    done.add(place)
  }
  for (const place of next.keys()) walk(place, [])
  return found
}
