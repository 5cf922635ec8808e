/**
 * Maps of codes that a site gives in `fhir/maps` of its clinical folder, as ConceptMap or ValueSet of FHIR R4: which diagnoses the codes
 * of SNOMED CT and other systems stand for.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Json, inside, isObject, listOf, textOf } from 'patient-risk-engine/read'
import { type Fault, FaultList } from 'patient-risk-engine/definition'
import type { CodeMaps, Translation } from '../schemas/fhir-mapping.ts'
import { icdCodes, isIcdCode, isListedSystem, systemName } from './code-systems.ts'
import { type ClinicalFile, readClinicalFile } from './read-folder.ts'

/** An identifier of this system says for which group of diagnoses a ValueSet is. */
export const GROUP_SYSTEM = 'urn:patient-risk:diagnosis-groups'
/** The name of a ValueSet whose codes the value sets of groups were chosen from. */
export const KNOWN_CODES = 'known'

/**
 * What each equivalence of R4 says of the target. `wider` and `subsumes`: the target has the whole meaning of the source, so the source is
 * a kind of it. The others leave open whether a patient with the source has the target.
 */
const MEANING: Readonly<Record<string, keyof Translation | 'nothing'>> = {
  equal: 'same',
  equivalent: 'same',
  wider: 'wider',
  subsumes: 'wider',
  narrower: 'open',
  specializes: 'open',
  inexact: 'open',
  relatedto: 'open',
  unmatched: 'nothing',
  disjoint: 'nothing',
}
const TOO_COSTLY = 'http://hl7.org/fhir/StructureDefinition/valueset-toocostly'
const UNCLOSED = 'http://hl7.org/fhir/StructureDefinition/valueset-unclosed'

/** What the mapping itself says of diagnoses. */
export interface Diagnoses {
  readonly systems: readonly string[]
  readonly groups: Readonly<Record<string, unknown>>
}

/** The files of maps in the clinical folders, in the order of their names. */
export function readMapFiles(folders: readonly string[], faults: Fault[]): readonly ClinicalFile[] {
  return folders.flatMap((root) => {
    const folder = join(root, 'fhir', 'maps')
    if (!existsSync(folder)) return []
    const names = readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
    return names.flatMap((name) => readClinicalFile(join(folder, name), faults) ?? [])
  })
}

/** What the files say together. Adds a fault for each place that cannot be used. */
export function readMaps(
  files: readonly Pick<ClinicalFile, 'file' | 'value'>[],
  diagnoses: Diagnoses,
  faults: Fault[],
): CodeMaps {
  const reader = new MapReader(diagnoses)
  for (const { file, value } of files) reader.add(file, value, new FaultList(file, faults))
  return reader.maps
}

class MapReader {
  private readonly diagnoses: Diagnoses
  private readonly translations = new Map<string, Map<string, Translation>>()
  private readonly groups = new Map<string, Map<string, Set<string>>>()
  private readonly known = new Map<string, Set<string>>()
  /** By system and code: the file that has translated it. */
  private readonly files = new Map<string, string>()

  constructor(diagnoses: Diagnoses) {
    this.diagnoses = diagnoses
  }

  get maps(): CodeMaps {
    return { translations: this.translations, groups: this.groups, known: this.known }
  }

  add(file: string, value: unknown, faults: FaultList): void {
    const type = inside(value, 'resourceType')
    if (!isObject(value) || (type !== 'ConceptMap' && type !== 'ValueSet')) {
      faults.add('/resourceType', 'resource-type', 'must be ConceptMap or ValueSet of FHIR R4')
      return
    }
    const modifier = modifierIn(value, '')
    if (modifier !== undefined)
      faults.add(modifier, 'modifier', 'may change the meaning of the map, and is not known')
    if (value['status'] === 'retired')
      faults.add('/status', 'retired', 'is retired; give the map that replaces it')
    if (type === 'ConceptMap') this.addConceptMap(file, value, faults)
    else this.addValueSet(value, faults)
  }

  private addConceptMap(file: string, map: Json, faults: FaultList): void {
    const groups = listOf(map['group'])
    if (groups.length === 0) faults.add('/group', 'group', 'is missing: the map translates nothing')
    groups.forEach((group, at) => {
      const place = faults.at(`/group/${at}`)
      const source = systemName(textOf(inside(group, 'source')) ?? '')
      const target = systemName(textOf(inside(group, 'target')) ?? '')
      if (source === '') place.add('/source', 'system', 'must name the system of the codes')
      else if (isListedSystem(this.diagnoses.systems, source))
        place.add('/source', 'system', 'is ICD-10, whose codes are read as they are')
      if (!isListedSystem(this.diagnoses.systems, target))
        place.add('/target', 'system', `must be a system of ICD-10, such as ${this.diagnoses.systems[0]}`)
      listOf(inside(group, 'element')).forEach((element, index) => {
        const part = place.at(`/element/${index}`)
        const code = textOf(inside(element, 'code'))
        if (code === undefined) {
          part.add('/code', 'code', 'is missing')
          return
        }
        const translation = translationOf(listOf(inside(element, 'target')), part)
        if (translation !== undefined) this.addTranslation(file, source, code, translation, part)
      })
    })
  }

  private addTranslation(
    file: string,
    system: string,
    code: string,
    translation: Translation,
    faults: FaultList,
  ): void {
    const ofSystem = this.translations.get(system) ?? new Map<string, Translation>()
    this.translations.set(system, ofSystem)
    const name = `${system}|${code}`
    const other = ofSystem.get(code)
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(translation))
      faults.add('/code', 'twice', `${code} is translated in another way in ${this.files.get(name) ?? file}`)
    this.files.set(name, file)
    ofSystem.set(code, translation)
  }

  private addValueSet(set: Json, faults: FaultList): void {
    const names = listOf(set['identifier']).flatMap((each) =>
      inside(each, 'system') === GROUP_SYSTEM ? [textOf(inside(each, 'value')) ?? ''] : [],
    )
    const groups = Object.keys(this.diagnoses.groups)
    if (names.length === 0)
      faults.add(
        '/identifier',
        'group',
        `needs the system ${GROUP_SYSTEM}, with the group of diagnoses that the codes are of as its value`,
      )
    for (const name of names) {
      if (name !== KNOWN_CODES && !groups.includes(name))
        faults.add(
          '/identifier',
          'unknown-group',
          `there is no group ${name}; there are ${KNOWN_CODES}, ${groups.join(', ')}`,
        )
    }
    const codes = codesOf(set, faults)
    for (const [system, ofSystem] of Map.groupBy(codes, (each) => each.system)) {
      // Codes of ICD-10 are read as they are.
      if (isListedSystem(this.diagnoses.systems, system)) continue
      const known = this.known.get(system) ?? new Set<string>()
      this.known.set(system, known)
      for (const { code } of ofSystem) known.add(code)
      for (const name of names) this.addCodes(name, system, ofSystem)
    }
  }

  private addCodes(group: string, system: string, codes: readonly { readonly code: string }[]): void {
    const bySystem = this.groups.get(group) ?? new Map<string, Set<string>>()
    this.groups.set(group, bySystem)
    const all = bySystem.get(system) ?? new Set<string>()
    bySystem.set(system, all)
    for (const { code } of codes) all.add(code)
  }
}

/** The codes that the targets of an element give; undefined where one of them is at fault. */
function translationOf(targets: readonly unknown[], faults: FaultList): Translation | undefined {
  const found: Record<keyof Translation, string[]> = { same: [], wider: [], open: [] }
  const before = faults.faults.length
  targets.forEach((target, at) => {
    const place = `/target/${at}`
    const equivalence = textOf(inside(target, 'equivalence')) ?? ''
    const meaning = Object.hasOwn(MEANING, equivalence) ? MEANING[equivalence] : undefined
    if (meaning === undefined) {
      const known = Object.keys(MEANING).join(', ')
      faults.add(`${place}/equivalence`, 'equivalence', `must be one of ${known}; R5 writes other words`)
      return
    }
    if (meaning === 'nothing') return
    const codes = icdCodes(textOf(inside(target, 'code')) ?? '')
    if (codes.length === 0 || !codes.every(isIcdCode)) {
      faults.add(`${place}/code`, 'code', 'must be a code of ICD-10, such as I50.0')
      return
    }
    // A target that holds only under conditions, or together with more, may not be meant.
    const isBound = listOf(inside(target, 'dependsOn')).length + listOf(inside(target, 'product')).length > 0
    found[isBound ? 'open' : meaning].push(...codes)
  })
  return faults.faults.length === before ? found : undefined
}

interface ListedCode {
  readonly system: string
  readonly code: string
}

/** The codes of a ValueSet: of its expansion, or of a definition that lists them. */
function codesOf({ expansion, compose }: Json, faults: FaultList): readonly ListedCode[] {
  if (isObject(expansion)) return codesOfExpansion(expansion, faults.at('/expansion'))
  const includes = listOf(inside(compose, 'include'))
  const isList = ({ filter, valueSet, concept, system }: Json): boolean =>
    filter === undefined && valueSet === undefined && Array.isArray(concept) && textOf(system) !== undefined
  if (
    includes.length === 0 ||
    inside(compose, 'exclude') !== undefined ||
    !includes.every((each) => isObject(each) && isList(each))
  ) {
    faults.add(
      '/compose',
      'expansion',
      'lists no codes: only an expansion, or a definition by a list of codes, can be read. Expand it with patient-risk fhir maps',
    )
    return []
  }
  return includes.flatMap((include, at) =>
    listOf(inside(include, 'concept')).flatMap((concept, index) =>
      listedCode(inside(include, 'system'), concept, faults.at(`/compose/include/${at}/concept/${index}`)),
    ),
  )
}

function codesOfExpansion(expansion: Json, faults: FaultList): readonly ListedCode[] {
  const nodes: { readonly node: Json; readonly path: string }[] = []
  const collect = (list: unknown, path: string): void =>
    listOf(list).forEach((node, at) => {
      if (!isObject(node)) return
      nodes.push({ node, path: `${path}/${at}` })
      collect(node['contains'], `${path}/${at}/contains`)
    })
  collect(expansion['contains'], '/contains')
  const { total, offset } = expansion
  const isPage = Number(offset ?? 0) > 0 || (typeof total === 'number' && nodes.length < total)
  if (isCut(expansion) || isPage || (total === undefined && nodes.length >= countIn(expansion)))
    faults.add('', 'incomplete', 'is a part of the value set only; get all pages with patient-risk fhir maps')
  return nodes.flatMap(({ node, path }) =>
    // A heading of the hierarchy is no code to choose.
    node['abstract'] === true ? [] : listedCode(node['system'], node, faults.at(path)),
  )
}

/** Whether the server says that it has left out a part. */
export function isCut({ extension, parameter }: Json): boolean {
  return (
    listOf(extension).some((each) => [TOO_COSTLY, UNCLOSED].includes(textOf(inside(each, 'url')) ?? '')) ||
    listOf(parameter).some(
      (each) => inside(each, 'name') === 'limitedExpansion' && inside(each, 'valueBoolean') === true,
    )
  )
}

/** How many codes the server was asked for at most. */
function countIn({ parameter }: Json): number {
  const count = listOf(parameter).find((each) => inside(each, 'name') === 'count')
  return Number(inside(count, 'valueInteger') ?? Infinity)
}

function listedCode(system: unknown, concept: unknown, faults: FaultList): readonly ListedCode[] {
  const code = textOf(inside(concept, 'code'))
  const name = textOf(system)
  if (code !== undefined && name !== undefined) return [{ system: systemName(name), code }]
  faults.add('', 'code', 'has no code or no system')
  return []
}

/** Where a resource has something that changes the meaning of the rest. */
function modifierIn(node: unknown, path: string): string | undefined {
  if (Array.isArray(node)) {
    for (const [at, each] of node.entries()) {
      const found = modifierIn(each, `${path}/${at}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isObject(node)) return undefined
  for (const key of Object.keys(node)) {
    if (key === 'modifierExtension' || key === 'implicitRules') return `${path}/${key}`
    const found = modifierIn(node[key], `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
