/** A folder with the files of a Bulk Data export: what is data in it, and what its manifest says about the export. */
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { inside, jsonIn, listOf, textOf } from 'patient-risk-engine/read'
import { BadFile } from '../tables/bad-file.ts'

/** The types that risks are computed from. */
export const USED_TYPES = [
  'Patient',
  'Encounter',
  'Observation',
  'Condition',
  'Procedure',
  'QuestionnaireResponse',
]
const MANIFEST = 'manifest.json'
/** The log of a client that downloads exports. */
const NOT_DATA = ['log.ndjson']

/** What an export may be asked for without leaving out anything of its patients. The types are compared apart. */
const WHOLE = [
  '_outputFormat',
  '_type',
  'patient',
  'organizeOutputBy',
  'allowPartialManifests',
  'includeAssociatedData',
]

export interface ExportFolder {
  /** Paths of the files that hold resources, in the order of their names. */
  readonly files: readonly string[]
  /** Paths of the files that name deleted resources. */
  readonly deleted: readonly string[]
  /** When the export was made, as the manifest says. */
  readonly madeAt: string | undefined
  /** The address of the server, with a slash at its end. */
  readonly base: string | undefined
  /** How many resources of a type there must be, where the manifest counts them. */
  readonly counts: ReadonlyMap<string, number>
  /** Why something is missing in the export, as far as the manifest and the names of the files tell. */
  readonly incomplete: readonly string[]
}

/** Throws a BadFile where there is nothing to read. */
export function openExport(folder: string): ExportFolder {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new BadFile('is not a folder; give the folder of a Bulk Data export')
  const all = globSync('**/*.{ndjson,ndjson.gz}', { cwd: folder }).toSorted()
  const unread = unreadIn(folder, new Set(all))
  const isIn = (path: string, name: string): boolean => path.split(sep).includes(name)
  const isData = (path: string): boolean =>
    !isIn(path, 'error') && !isIn(path, 'deleted') && !NOT_DATA.includes(basename(path))
  const data = all.filter(isData)
  if (data.length === 0) throw new BadFile('has no file that ends in .ndjson or .ndjson.gz')
  const files = data.map((path) => join(folder, path))
  const deleted = all.filter((path) => isIn(path, 'deleted')).map((path) => join(folder, path))
  const manifest = readManifest(folder)
  if (manifest === undefined)
    return { files, deleted, madeAt: undefined, base: undefined, counts: new Map(), incomplete: unread }
  const request = textOf(inside(manifest, 'request')) ?? ''
  return {
    files,
    deleted,
    madeAt: textOf(inside(manifest, 'transactionTime')),
    base: baseOf(request),
    counts: countsIn(manifest),
    incomplete: [
      ...unread,
      ...missingFrom(
        manifest,
        request,
        all.map((path) => basename(path)),
      ),
    ],
  }
}

/** What lies in the folder and is not read, although it may hold resources: files in another form, and messages of the server. */
function unreadIn(folder: string, read: ReadonlySet<string>): readonly string[] {
  const found: string[] = []
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted()
  const others = paths.filter((path) => !read.has(path) && isLikeData(basename(path)))
  if (others.length > 0)
    found.push(
      `These files may hold resources and were not read: ${others.join(', ')}. Give .ndjson or .ndjson.gz.`,
    )
  const messages = paths.filter(
    (path) => path.split(sep).includes('error') && statSync(join(folder, path)).size > 0,
  )
  if (messages.length > 0)
    found.push(`The server has written messages about what it did not export: ${messages.join(', ')}.`)
  return found
}

/** Whether the name of a file says that it has resources: `Encounter.2.json`, `Condition.ndjson.zst`, `Patient.NDJSON`, a part. */
function isLikeData(name: string): boolean {
  const isOfType = USED_TYPES.some((type) => name.toLowerCase().includes(type.toLowerCase()))
  return name !== MANIFEST && !name.startsWith('.') && (isOfType || /ndjson/i.test(name))
}

function readManifest(folder: string): unknown {
  let text: string
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8')
  } catch {
    return undefined
  }
  const manifest = jsonIn(text)
  if (manifest === undefined)
    throw new BadFile(`has a ${MANIFEST} that is not JSON; download the export again`)
  return manifest
}

/** `https://hospital.example/fhir/` of `https://hospital.example/fhir/Group/g1/$export?…`. */
function baseOf(request: string): string | undefined {
  return /^(https?:\/\/[^?]*?\/)(?:(?:Group|Patient)\/(?:[^/?]+\/)?)?\$export(?:\?|$)/.exec(request)?.[1]
}

/** Only where every file of the type is counted. */
function countsIn(manifest: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of listOf(inside(manifest, 'output'))) {
    const type = textOf(inside(item, 'type')) ?? ''
    const count = inside(item, 'count')
    counts.set(type, (counts.get(type) ?? 0) + (typeof count === 'number' ? count : Number.NaN))
  }
  return new Map([...counts].filter(([, count]) => !Number.isNaN(count)))
}

function missingFrom(manifest: unknown, request: string, names: readonly string[]): readonly string[] {
  const found: string[] = []
  // Versions before 4.0 call the list of messages "error", later ones "outcome".
  const messages = [...listOf(inside(manifest, 'error')), ...listOf(inside(manifest, 'outcome'))]
  if (messages.length > 0)
    found.push('The manifest lists messages of the server about what it did not export.')
  if (listOf(inside(manifest, 'link')).some((link) => inside(link, 'relation') === 'next'))
    found.push('The manifest names a next manifest, whose files are not here.')
  const asked = new URLSearchParams(request.split('?')[1] ?? '')
  for (const part of new Set(asked.keys()))
    if (!WHOLE.includes(part))
      found.push(`The export was asked for with ${part}, so it is a part of the data.`)
  const types = asked.getAll('_type').flatMap((list) => list.split(','))
  const left = types.length === 0 ? [] : USED_TYPES.filter((type) => !types.includes(type))
  if (left.length > 0) found.push(`The export was asked for without ${left.join(', ')}.`)
  const here = new Set(names.map((name) => name.replace(/\.gz$/, '')))
  const lost = listOf(inside(manifest, 'output'))
    .filter((item) => typeof inside(item, 'count') !== 'number')
    .map((item) => nameIn(textOf(inside(item, 'url')) ?? ''))
    .filter((name) => !here.has(name.replace(/\.gz$/, '')))
  if (lost.length > 0) found.push(`Files that the manifest lists are not here: ${lost.join(', ')}.`)
  return found
}

/** The last part of an address, without its query. */
function nameIn(url: string): string {
  return basename(url.split(/[?#]/)[0] ?? '')
}
