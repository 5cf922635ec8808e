/**
 * Which groups of diagnoses the codes of a Condition belong to. A code of ICD-10 decides, and so does a coding that the mapping lists for a
 * group. A code that was cut short (`E11`) decides only where what is missing does not matter. Only without them are the maps of the site
 * asked, and what they leave open stays open.
 */
import type { Sentence } from 'patient-risk-engine/words'
import {
  FHIR_REASONS,
  REASON_TEXTS,
  icdCodes,
  isIcdCode,
  isListedSystem,
  type Mapping,
  type Translation,
} from '@patient-risk/catalog'
import type { Reason } from './finding.ts'
import { type Coding, isIn as isCoded } from '../codings.ts'
import { codesAreOfGroup, icdIsOfGroup, mapsSay } from './rules.ts'

export interface CodeJudge {
  /** Whether the codes are of a group; undefined where that is not known. */
  readonly isOf: (group: string) => boolean | undefined
  /** Why it is not known, and what to do about it; the place of the Condition is left open. */
  readonly why: Reason
}

/** Only what looks like a code is repeated: another text may be about the patient. */
const CODE = /^[A-Za-z0-9.-]{1,20}$/

export function judgeCodes(codings: readonly Coding[], { diagnoses, maps }: Mapping): CodeJudge {
  const written = codings
    .filter(({ system }) => isListedSystem(diagnoses.systems, system))
    .flatMap(({ system, code }) => icdCodes(code).map((each) => ({ system, code: each })))
  const codes = written.filter(({ code }) => isIcdCode(code))
  // A range, a text or a code of another classification under the name of ICD-10 may be any diagnosis.
  const isWhole = codes.length === written.length
  const judged = longestOf(codes)
  const listed = new Set(
    Object.keys(diagnoses.groups).filter((name) => isCoded(groupOf(diagnoses, name).codings ?? [], codings)),
  )
  const mapped = codings.filter(({ system }) => maps.translations.has(system) || maps.known.has(system))
  const hasCodes = codes.length > 0 || listed.size > 0
  return {
    isOf: (group) =>
      codesAreOfGroup({
        isListed: listed.has(group),
        hasCodes,
        icd: judged.map((coding) => verdictOfIcd(coding, group, diagnoses)),
        isWhole,
        mapped: () => mapped.map((coding) => verdictOf(coding, group, diagnoses, maps)),
      }),
    why: hasCodes ? whyPartly(written) : whyOpen(mapped),
  }
}

function whyPartly(written: readonly Coding[]): Reason {
  const codes = { sentence: namedCodes(written.map(({ code }) => code)) }
  return { text: FHIR_REASONS.icdMayBe, parts: { codes } }
}

function namedCodes([code = '', ...more]: readonly string[]): Sentence {
  const first = CODE.test(code) ? code : { phrase: FHIR_REASONS.notACode }
  if (more.length === 0) return { text: '{first}', parts: { first } }
  return { text: REASON_TEXTS.and, parts: { first, last: { sentence: namedCodes(more) } } }
}

function whyOpen([first]: readonly Coding[]): Reason {
  if (first === undefined) return { text: FHIR_REASONS.noIcd }
  const { code } = first
  return CODE.test(code)
    ? { text: FHIR_REASONS.mapsOpenCode, parts: { code } }
    : { text: FHIR_REASONS.mapsOpen }
}

/** Without those that another code of the Condition says in full: `E11` beside `E11.4`. */
function longestOf(codes: readonly Coding[]): readonly Coding[] {
  return codes.filter(
    ({ code }) => !codes.some((other) => other.code !== code && other.code.startsWith(code)),
  )
}

/** Whether a code of ICD-10 is of a group; undefined for one that says only a part of it, or is known to leave it open. */
function verdictOfIcd(
  { system, code }: Coding,
  name: string,
  diagnoses: Mapping['diagnoses'],
): boolean | undefined {
  const group = groupOf(diagnoses, name)
  const isUnclear = diagnoses.unclear.some(
    ({ prefixes, systems = [system], groups = [name] }) =>
      groups.includes(name) && systems.includes(system) && prefixes.some((prefix) => code.startsWith(prefix)),
  )
  return icdIsOfGroup({
    isWithin: isWithin(group, code),
    isPartly: isPartly(group, code),
    isUndivided: isCoded(diagnoses.undivided, [{ system, code }]),
    isUnclear,
  })
}

interface Group {
  readonly prefixes: readonly string[]
  readonly except?: readonly string[]
  readonly codings?: readonly { readonly system: string; readonly codes: readonly string[] }[]
}

function groupOf({ groups }: Mapping['diagnoses'], name: string): Group {
  const group = groups[name] ?? []
  return Array.isArray(group) ? { prefixes: group } : group
}

function isWithin({ prefixes, except = [] }: Group, code: string): boolean {
  const isOne = (prefix: string): boolean => code.startsWith(prefix)
  return prefixes.some(isOne) && !except.some(isOne)
}

/** Whether a kind of the code may be in the group, although the code itself does not say so, or may be one of the exceptions. */
function isPartly({ prefixes, except = [] }: Group, code: string): boolean {
  return [...prefixes, ...except].some((prefix) => prefix !== code && prefix.startsWith(code))
}

function verdictOf(
  { system, code }: Coding,
  name: string,
  diagnoses: Mapping['diagnoses'],
  maps: Mapping['maps'],
): boolean | undefined {
  const translation = maps.translations.get(system)?.get(code)
  const translated =
    translation === undefined ? undefined : verdictOfTranslation(translation, name, diagnoses)
  const ofGroup = maps.groups.get(name)?.get(system)
  const isKnown = ofGroup !== undefined && maps.known.get(system)?.has(code) === true
  const listed = isKnown ? ofGroup.has(code) : undefined
  return mapsSay(translated, listed)
}

function verdictOfTranslation(
  { same, wider, open }: Translation,
  name: string,
  diagnoses: Mapping['diagnoses'],
): boolean | undefined {
  if (same.length + wider.length === 0) return undefined
  const group = groupOf(diagnoses, name)
  const ofSame = same.map((code) => verdictOfIcd({ system: '', code }, name, diagnoses))
  const isCertain = (code: string): boolean => isWithin(group, code) && !isPartly(group, code)
  if (ofSame.includes(true) || wider.some(isCertain)) return true
  const mayBe = (code: string): boolean => isWithin(group, code) || isPartly(group, code)
  return ofSame.includes(undefined) || [...wider, ...open].some(mayBe) ? undefined : false
}
