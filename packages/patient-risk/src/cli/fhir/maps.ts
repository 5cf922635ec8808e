/** `patient-risk fhir maps`: downloads maps of codes from a terminology server into a clinical folder, before the service starts. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ClinicalFile,
  GROUP_SYSTEM,
  icdCodes,
  isIcdCode,
  KNOWN_CODES,
  loadCatalog,
  readMapFiles,
  readMaps,
  systemName,
} from '@patient-risk/catalog'
import { FetchFailed, loadMapping } from '@patient-risk/server/adapters'
import type { Fault } from 'patient-risk-engine/definition'
import { CLINICAL_ROOT } from '../catalog/load-catalog.ts'
import { Refusal, UsageError, command, configOrRefusal, faultsText, printNote } from '../command.ts'
import { ProgressBar } from '../progress-bar.ts'
import { type ListedCode, type Match, TerminologyServer } from './terminology-server.ts'

const SNOMED = 'http://snomed.info/sct'
const ICD_10 = 'http://hl7.org/fhir/sid/icd-10'
const AT_A_TIME = 4
const MOST_CODES = 100_000
/** Answers that concern the one code: the server does not know it, or does not translate it. */
const NOT_THIS_CODE = [400, 404, 422]
const MOST_NAMED = 20

type Resource = Readonly<Record<string, unknown>>

interface MapFile {
  readonly name: string
  readonly resource: Resource
}

interface Asked {
  readonly system: string
  readonly target: string
  readonly map?: string
}

export const fhirMaps = command(
  {
    texts: ['from', 'output', 'codes', 'system', 'target', 'map'],
    lists: ['value-set'],
    flags: ['quiet'],
    required: ['from'],
  },
  async (values) => {
    const { from, output, codes, system = SNOMED, target = ICD_10, map, quiet = false } = values
    const sets = (values['value-set'] ?? []).map(readSet)
    if (codes === undefined && sets.length === 0)
      throw new UsageError('Give the codes to translate with --codes, or value sets with --value-set.')
    const server = serverAt(from)
    const config = configOrRefusal()
    const folder = output ?? config.clinicalFolders.at(-1)
    if (folder === undefined)
      throw new UsageError('The configuration names no clinical folder. Name one with --output.')
    const groups = groupsOf(config.fhir.mapping)
    const unknown = sets.find(({ group }) => group !== KNOWN_CODES && !groups.names.includes(group))
    if (unknown !== undefined)
      throw new UsageError(
        `There is no group ${unknown.group}. There are ${KNOWN_CODES}, ${groups.names.join(', ')}.`,
      )
    const files: MapFile[] = []
    using bar = new ProgressBar('codes')
    if (codes !== undefined) {
      const asked = { system, target, ...(map !== undefined && { map }) }
      const progress = (done: number, all: number): void => {
        if (!quiet) bar.show({ records: done, share: done / all }, 'translating')
      }
      files.push(await translated(server, await readCodes(codes), asked, progress))
    }
    for (const { group, url } of sets) files.push(await expanded(server, group, url))
    await writeMaps(join(folder, 'fhir', 'maps'), files, groups)
    return 0
  },
)

function readSet(text: string): { readonly group: string; readonly url: string } {
  const [, group, url] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (group === undefined || url === undefined)
    throw new UsageError('--value-set takes GROUP=URL, such as heartFailure=https://example.org/ValueSet/hf.')
  return { group, url }
}

function serverAt(from: string): TerminologyServer {
  const token = process.env['TERMINOLOGY_TOKEN']
  const url = URL.parse(from)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('--from takes the base address of a FHIR server, such as https://tx.example.org/r4.')
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (token !== undefined && url.protocol !== 'https:' && !isHere)
    throw new UsageError('TERMINOLOGY_TOKEN is sent over https only.')
  return new TerminologyServer(from, token)
}

interface Groups {
  readonly names: readonly string[]
  readonly diagnoses: Parameters<typeof readMaps>[1]
}

/** The groups of diagnoses of the package, and those of the mapping of the site. */
function groupsOf(overlay: string | undefined): Groups {
  const { catalog, faults } = loadCatalog([CLINICAL_ROOT])
  if (catalog === undefined) throw new Refusal(faultsText(faults))
  const { mapping, faults: mappingFaults } = loadMapping([CLINICAL_ROOT], catalog, overlay)
  if (mapping === undefined) throw new Refusal(faultsText(mappingFaults))
  return { names: Object.keys(mapping.diagnoses.groups), diagnoses: mapping.diagnoses }
}

/** A code a line. */
async function readCodes(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`The file ${path} cannot be read.`)
  })
  const codes = text.split(/\r?\n/).map((line) => line.replace(/#.*/, '').trim())
  const all = [...new Set(codes.filter((code) => code !== ''))].sort()
  if (all.length === 0) throw new UsageError(`The file ${path} has no codes. Write one a line.`)
  if (all.length > MOST_CODES) throw new UsageError(`The file ${path} has more than ${MOST_CODES} codes.`)
  return all
}

async function translated(
  server: TerminologyServer,
  codes: readonly string[],
  asked: Asked,
  progress: (done: number, all: number) => void,
): Promise<MapFile> {
  const found = new Map<string, readonly Match[]>()
  const refused: string[] = []
  const waiting = [...codes]
  const work = async (): Promise<void> => {
    for (let code = waiting.shift(); code !== undefined; code = waiting.shift()) {
      const matches = await server.translate(code, asked).catch((error: unknown) => {
        if (error instanceof FetchFailed && NOT_THIS_CODE.includes(error.status ?? 0)) return undefined
        // The others need not go on.
        waiting.length = 0
        throw refusalOf(error)
      })
      if (matches === undefined) refused.push(code)
      else found.set(code, matches)
      progress(found.size + refused.length, codes.length)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  if (found.size === 0)
    throw new Refusal(`The server refused all codes. Look at --from, --system, --target and --map.`)
  if (refused.length > 0)
    printNote(`The server refused ${refused.length} codes, which stay unclear: ${shortList(refused)}.`)
  const element = [...found]
    .sort(byCode)
    .map(([code, matches]) => ({ code, target: targetsOf(matches, asked) }))
  const lost = element.filter(
    ({ target }) => !target.some(({ equivalence }) => CERTAIN.includes(equivalence)),
  )
  printNote(
    `${element.length - lost.length} of ${codes.length} codes have a translation that is certain.` +
      (lost.length === 0 ? '' : ` Without one: ${shortList(lost.map(({ code }) => code))}.`),
  )
  const { system, target, map } = asked
  const resource = {
    resourceType: 'ConceptMap',
    status: 'active',
    ...(map !== undefined && { description: `Translated by ${map}.` }),
    group: [{ source: system, target, element }],
  }
  return { name: `conceptmap-${slug(system)}.json`, resource }
}

/** The equivalences whose target has the whole meaning of the code. */
const CERTAIN = ['equal', 'equivalent', 'wider', 'subsumes']

function byCode([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

interface Target {
  readonly code?: string
  readonly display?: string | undefined
  readonly equivalence: string
  readonly comment?: string
}

/** Without a code of the target system there is no match, and the file says so. */
function targetsOf(matches: readonly Match[], { target }: Asked): readonly Target[] {
  const usable = matches.flatMap((match): readonly Target[] => {
    const { code, display, equivalence, isBound, system } = match
    if (systemName(system) !== systemName(target)) return []
    if (!icdCodes(code).every(isIcdCode) || code === '')
      return [{ equivalence: 'unmatched', comment: `The server gave ${JSON.stringify(code)}.` }]
    return isBound
      ? [
          {
            code,
            display,
            equivalence: 'relatedto',
            comment: `Holds under conditions only (${equivalence}).`,
          },
        ]
      : [{ code, display, equivalence }]
  })
  return usable.length === 0 ? [{ equivalence: 'unmatched' }] : usable
}

/** As a list, and not as an expansion: it has no date, so that the digest changes only with the codes. */
async function expanded(server: TerminologyServer, group: string, url: string): Promise<MapFile> {
  const codes = await server.expand(url).catch((error: unknown) => {
    throw refusalOf(error)
  })
  if (codes.length === 0) throw new Refusal(`The value set ${url} has no codes.`)
  printNote(`${group}: ${codes.length} codes.`)
  const bySystem = [...Map.groupBy(codes, ({ system }) => system)].sort(byCode)
  const include = bySystem.map(([system, ofSystem]) => ({
    system,
    concept: ofSystem
      .map(({ code, display }: ListedCode) => ({ code, display }))
      .sort((a, b) => byCode([a.code, 0], [b.code, 0])),
  }))
  const resource = {
    resourceType: 'ValueSet',
    identifier: [{ system: GROUP_SYSTEM, value: group }],
    description: `Expanded from ${url}.`,
    status: 'active',
    compose: { include },
  }
  return { name: `valueset-${group}.json`, resource }
}

/** Checks the files together with those that are there, and writes them only if the service would start with them. */
async function writeMaps(folder: string, files: readonly MapFile[], { diagnoses }: Groups): Promise<void> {
  const faults: Fault[] = []
  const others = readMapFiles([join(folder, '..', '..')], faults).filter(
    ({ file }) => !files.some(({ name }) => file === join(folder, name)),
  )
  const made = files.map(({ name, resource }): Pick<ClinicalFile, 'file' | 'value'> => ({
    file: join(folder, name),
    value: resource,
  }))
  readMaps([...others, ...made], diagnoses, faults)
  if (faults.length > 0) throw new Refusal(`${faultsText(faults)}\nNothing was written.`)
  await mkdir(folder, { recursive: true })
  for (const { name, resource } of files) {
    const path = join(folder, name)
    await writeFile(`${path}.new`, `${JSON.stringify(resource, undefined, 2)}\n`)
    await rename(`${path}.new`, path)
    printNote(`Written: ${path}`)
  }
}

function refusalOf(error: unknown): unknown {
  return error instanceof FetchFailed ? new Refusal(`${error.message} Nothing was written.`) : error
}

function shortList(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function slug(system: string): string {
  return system.replace(/^\w+:\/*/, '').replace(/[^A-Za-z0-9]+/g, '-')
}
