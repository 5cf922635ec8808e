/** Code systems by their names, and codes of ICD-10 as the groups of diagnoses compare them. */
/** The names of code systems as OIDs, which systems that come from HL7 v3 and CDA write. */
const NAMED_BY_OID: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.113883.6.1', 'http://loinc.org'],
  ['2.16.840.1.113883.6.96', 'http://snomed.info/sct'],
  ['2.16.840.1.113883.6.3', 'http://hl7.org/fhir/sid/icd-10'],
  ['2.16.840.1.113883.6.3.2', 'http://hl7.org/fhir/sid/icd-10-nl'],
  ['2.16.840.1.113883.6.90', 'http://hl7.org/fhir/sid/icd-10-cm'],
  ['2.16.840.1.113883.6.135', 'http://hl7.org/fhir/sid/icd-10-am'],
  ['2.16.724.4.21.5.29', 'http://hl7.org/fhir/sid/icd-10-es'],
])

/** Systems of HL7 and of standards, whose names senders spell in other ways. */
const STANDARD =
  /^https?:\/\/(?:www\.)?(loinc\.org|snomed\.info|unitsofmeasure\.org|hl7\.org|terminology\.hl7\.org)(\/[^?#]*)?$/i
/** At the end. The look-behind keeps a run of slashes from being tried once for each of them. */
const SLASHES = /(?<!\/)\/+$/
/** An edition or a version of SNOMED CT: the codes are the same. */
const SNOMED_EDITION = /^http:\/\/snomed\.info\/sct(?:\/.*)?$/i

/** A code system by the name that mappings use: an OID that is known becomes its URL, and so does another spelling of a standard. */
export function systemName(given: string): string {
  const system = given.trim()
  const ofOid = NAMED_BY_OID.get(/^urn:oid:([\d.]+)$/i.exec(system)?.[1] ?? '')
  if (ofOid !== undefined) return ofOid
  const [, host, path = ''] = STANDARD.exec(system.replace(SLASHES, '')) ?? []
  if (host === undefined) return system
  const name = `http://${host.toLowerCase()}${path}`
  return SNOMED_EDITION.test(name) ? 'http://snomed.info/sct' : name
}

/** Whether a list of systems has one. A name of the list that ends in a star stands for all that begin like it. */
export function isListedSystem(systems: readonly string[], system: string): boolean {
  return systems.some((each) => (each.endsWith('*') ? system.startsWith(each.slice(0, -1)) : each === system))
}

/**
 * The codes that a text of ICD-10 holds, without dots and marks: a dual code, such as `E11.4+ G63.2*`, is two of them. A hyphen at the end
 * stands for characters that are not given, as in `E11.-`.
 */
export function icdCodes(text: string): readonly string[] {
  return text
    .toUpperCase()
    .split(/\s+/)
    .map((code) => code.replace(/[.+*!†]/g, '').replace(/-+$/, ''))
    .filter((code) => code !== '')
}

/** The third character is a digit, or A or B in ICD-10-CM. I and O are never used after the first: they would be read as digits. */
const ICD_CODE = /^[A-Z]\d[0-9AB][0-9A-HJ-NP-Z]{0,4}$/

/** Whether a code without dots and marks has the form of ICD-10. */
export function isIcdCode(code: string): boolean {
  return ICD_CODE.test(code)
}
