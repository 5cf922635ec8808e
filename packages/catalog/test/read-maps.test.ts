/** Maps of codes as files: what they say, and a fault that names the file and the place for each that cannot be used. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from 'patient-risk-engine/definition'
import { isListedSystem, systemName } from '../src/catalog/code-systems.ts'
import { GROUP_SYSTEM, readMaps } from '../src/catalog/read-maps.ts'
import type { CodeMaps } from '../src/schemas/fhir-mapping.ts'

type Resource = Readonly<Record<string, unknown>>

const ICD = 'http://hl7.org/fhir/sid/icd-10'
const SNOMED = 'http://snomed.info/sct'
const DIAGNOSES = { systems: [ICD], groups: { dementia: ['F00'], heartFailure: ['I50'] } }

const read = (
  ...values: readonly unknown[]
): { readonly maps: CodeMaps; readonly faults: readonly Fault[] } => {
  const faults: Fault[] = []
  const files = values.map((value, at) => ({ file: `${at}.json`, value }))
  return { maps: readMaps(files, DIAGNOSES, faults), faults }
}
const target = (equivalence: string, code?: string, more: Resource = {}): Resource => ({
  equivalence,
  ...(code !== undefined && { code }),
  ...more,
})
const conceptMap = (targets: readonly Resource[], more: Resource = {}, group: Resource = {}): Resource => ({
  resourceType: 'ConceptMap',
  status: 'active',
  group: [{ source: SNOMED, target: ICD, element: [{ code: '1', target: targets }], ...group }],
  ...more,
})
const valueSet = (more: Resource, groups: readonly string[] = ['dementia']): Resource => ({
  resourceType: 'ValueSet',
  status: 'active',
  identifier: groups.map((value) => ({ system: GROUP_SYSTEM, value })),
  ...more,
})
const listed = (codes: readonly string[], system = SNOMED): Resource => ({
  compose: { include: [{ system, concept: codes.map((code) => ({ code })) }] },
})
const contains = (codes: readonly string[]): readonly Resource[] =>
  codes.map((code) => ({ system: SNOMED, code }))

/** The targets of a code, and what they say of it. */
const TARGETS: readonly (readonly [string, readonly Resource[], object])[] = [
  ['equal', [target('equal', 'I50.0')], { same: ['I500'], wider: [], open: [] }],
  ['equivalent', [target('equivalent', 'i50')], { same: ['I50'], wider: [], open: [] }],
  ['wider', [target('wider', 'I50')], { same: [], wider: ['I50'], open: [] }],
  ['subsumes', [target('subsumes', 'I50')], { same: [], wider: ['I50'], open: [] }],
  ['narrower', [target('narrower', 'I50')], { same: [], wider: [], open: ['I50'] }],
  ['specializes', [target('specializes', 'I50')], { same: [], wider: [], open: ['I50'] }],
  ['inexact', [target('inexact', 'I50')], { same: [], wider: [], open: ['I50'] }],
  ['relatedto', [target('relatedto', 'I50')], { same: [], wider: [], open: ['I50'] }],
  ['unmatched', [target('unmatched')], { same: [], wider: [], open: [] }],
  ['disjoint', [target('disjoint', 'I50')], { same: [], wider: [], open: [] }],
  ['no target', [], { same: [], wider: [], open: [] }],
  ['a dual code', [target('equal', 'E11.4+ G63.2*')], { same: ['E114', 'G632'], wider: [], open: [] }],
  [
    'a condition',
    [target('equal', 'I50', { dependsOn: [{ property: 'http://x.example', value: '1' }] })],
    { same: [], wider: [], open: ['I50'] },
  ],
  [
    'a second product',
    [target('equal', 'I50', { product: [{ property: 'http://x.example', value: '1' }] })],
    { same: [], wider: [], open: ['I50'] },
  ],
]
for (const [name, targets, expected] of TARGETS) {
  test(`a ConceptMap with ${name}`, () => {
    const { maps, faults } = read(conceptMap(targets))
    assert.deepEqual(faults, [])
    assert.deepEqual(maps.translations.get(SNOMED)?.get('1'), expected)
  })
}

test('a ValueSet lists the codes of its groups, as an expansion or as a list, and those of ICD-10 are left out', () => {
  const nested = { contains: [{ display: 'heading', abstract: true, contains: contains(['2', '3']) }] }
  const { maps, faults } = read(
    valueSet(listed(['1'])),
    valueSet(
      // As many as were asked for, and the total says that there are no more.
      { expansion: { total: 3, parameter: [{ name: 'count', valueInteger: 3 }], ...nested } },
      ['dementia', 'heartFailure'],
    ),
    valueSet(listed(['9']), ['known']),
    valueSet(listed(['F00'], ICD)),
  )
  assert.deepEqual(faults, [])
  const ofGroup = (group: string): readonly string[] => [...(maps.groups.get(group)?.get(SNOMED) ?? [])]
  assert.deepEqual(ofGroup('dementia'), ['1', '2', '3'])
  assert.deepEqual(ofGroup('heartFailure'), ['2', '3'])
  assert.deepEqual([...(maps.known.get(SNOMED) ?? [])], ['1', '2', '3', '9'])
  assert.deepEqual([...maps.known.keys()], [SNOMED])
})

/** A file, the place of its fault, and words of the message. */
const FAULTS: readonly (readonly [string, unknown, string, RegExp])[] = [
  ['another resource', { resourceType: 'CodeSystem' }, '/resourceType', /must be ConceptMap or ValueSet/],
  ['no resource', [], '/resourceType', /must be ConceptMap or ValueSet/],
  ['a retired map', conceptMap([], { status: 'retired' }), '/status', /retired/],
  [
    'a modifier',
    conceptMap([target('equal', 'I50', { modifierExtension: [{ url: 'x' }] })]),
    '/group/0/element/0/target/0/modifierExtension',
    /may change the meaning/,
  ],
  ['implicit rules', conceptMap([], { implicitRules: 'x' }), '/implicitRules', /may change the meaning/],
  ['no group', conceptMap([], { group: [] }), '/group', /translates nothing/],
  ['no source', conceptMap([], {}, { source: undefined }), '/group/0/source', /must name the system/],
  ['ICD-10 as the source', conceptMap([], {}, { source: ICD }), '/group/0/source', /read as they are/],
  [
    'another target',
    conceptMap([], {}, { target: 'http://hl7.org/fhir/sid/icd-9-cm' }),
    '/group/0/target',
    /must be a system of ICD-10/,
  ],
  ['no code', conceptMap([], {}, { element: [{}] }), '/group/0/element/0/code', /is missing/],
  [
    'a word of R5',
    conceptMap([{ relationship: 'equivalent', code: 'I50' }]),
    '/group/0/element/0/target/0/equivalence',
    /must be one of equal, .* R5/,
  ],
  [
    'a name of an object as the equivalence',
    conceptMap([target('constructor', 'I50')]),
    '/group/0/element/0/target/0/equivalence',
    /must be one of/,
  ],
  ['no target code', conceptMap([target('equal')]), '/group/0/element/0/target/0/code', /code of ICD-10/],
  ['a range', conceptMap([target('equal', 'I50-I52')]), '/group/0/element/0/target/0/code', /code of ICD-10/],
  [
    'a placeholder',
    conceptMap([target('equal', 'M54.1?')]),
    '/group/0/element/0/target/0/code',
    /code of ICD-10/,
  ],
  ['a ValueSet of no group', valueSet(listed(['1']), []), '/identifier', /urn:patient-risk:diagnosis-groups/],
  [
    'an unknown group',
    valueSet(listed(['1']), ['x']),
    '/identifier',
    /no group x; there are known, dementia/,
  ],
  [
    'a filter',
    valueSet({ compose: { include: [{ system: SNOMED, filter: [{}] }] } }),
    '/compose',
    /patient-risk fhir maps/,
  ],
  [
    'an expansion that was cut',
    valueSet({
      expansion: {
        parameter: [{ name: 'limitedExpansion', valueBoolean: true }],
        contains: contains(['1']),
      },
    }),
    '/expansion',
    /a part of the value set only/,
  ],
  [
    'as many codes as were asked for at most, and no total',
    valueSet({ expansion: { parameter: [{ name: 'count', valueInteger: 1 }], contains: contains(['1']) } }),
    '/expansion',
    /a part of the value set only/,
  ],
  ['a whole system', valueSet({ compose: { include: [{ system: SNOMED }] } }), '/compose', /lists no codes/],
  [
    'an exclusion',
    valueSet({ compose: { include: listed(['1'])['compose'], exclude: [] } }),
    '/compose',
    /lists no codes/,
  ],
  ['neither', valueSet({}), '/compose', /lists no codes/],
  [
    'a page',
    valueSet({ expansion: { total: 3, contains: contains(['1', '2']) } }),
    '/expansion',
    /a part of the value set/,
  ],
  [
    'a later page',
    valueSet({ expansion: { offset: 1, contains: contains(['1']) } }),
    '/expansion',
    /a part of the value set/,
  ],
  [
    'an expansion that was too costly',
    valueSet({
      expansion: {
        extension: [
          { url: 'http://hl7.org/fhir/StructureDefinition/valueset-toocostly', valueBoolean: true },
        ],
        contains: contains(['1']),
      },
    }),
    '/expansion',
    /a part of the value set/,
  ],
  [
    'a code without a system',
    valueSet({ expansion: { contains: [{ code: '1' }] } }),
    '/expansion/contains/0',
    /no code or no system/,
  ],
]
for (const [name, value, path, message] of FAULTS) {
  test(`${name} is a fault that names its place`, () => {
    const { faults } = read(value)
    const [first] = faults
    assert.deepEqual([first?.file, first?.path], ['0.json', path])
    assert.match(first?.message ?? '', message)
  })
}

test('a code that two files translate in different ways is a fault, and the same way is none', () => {
  const one = conceptMap([target('equal', 'I50')])
  assert.deepEqual(read(one, one).faults, [])
  const { faults } = read(one, conceptMap([target('equal', 'I51')]))
  assert.deepEqual(
    faults.map(({ file, path, message }) => [file, path, message]),
    [['1.json', '/group/0/element/0/code', '1 is translated in another way in 0.json']],
  )
})

/** A system as it is written, and whether the list has it. */
const SYSTEMS: readonly (readonly [string, boolean])[] = [
  ['http://hl7.org/fhir/sid/icd-10', true],
  ['urn:oid:2.16.840.1.113883.6.3', true],
  ['URN:OID:2.16.840.1.113883.6.3', true],
  ['urn:oid:2.16.840.1.113883.6.33', false],
  ['https://a.example/icd-2025', true],
  ['https://a.example/icd-', true],
  ['https://a.example/icd', false],
  ['http://hl7.org/fhir/sid/icd-10-pcs', false],
  ['https://hl7.org/fhir/sid/icd-10', true],
  ['http://HL7.org/fhir/sid/icd-10//', true],
  [' http://hl7.org/fhir/sid/icd-10 ', true],
  ['http://hl7.org/fhir/sid/ICD-10', false],
  ['http://hl7.org.example/fhir/sid/icd-10', false],
]
for (const [system, isListed] of SYSTEMS) {
  test(`${system} is ${isListed ? '' : 'not '}of the list`, () => {
    assert.equal(isListedSystem([ICD, 'https://a.example/icd-*'], systemName(system)), isListed)
  })
}

for (const [given, name] of [
  ['https://loinc.org/', 'http://loinc.org'],
  ['http://www.loinc.org', 'http://loinc.org'],
  ['http://snomed.info/sct/900000000000207008/version/20240101', 'http://snomed.info/sct'],
  ['HTTP://SNOMED.INFO/SCT', 'http://snomed.info/sct'],
  ['https://unitsofmeasure.org', 'http://unitsofmeasure.org'],
  ['urn:oid:2.16.840.1.113883.6.1', 'http://loinc.org'],
  ['urn:oid:2.16.840.1.113883.6.96', 'http://snomed.info/sct'],
  ['urn:oid:2.16.840.1.113883.6.3', 'http://hl7.org/fhir/sid/icd-10'],
  ['urn:oid:2.16.840.1.113883.6.3.2', 'http://hl7.org/fhir/sid/icd-10-nl'],
  ['urn:oid:2.16.840.1.113883.6.90', 'http://hl7.org/fhir/sid/icd-10-cm'],
  ['urn:oid:2.16.840.1.113883.6.135', 'http://hl7.org/fhir/sid/icd-10-am'],
  ['urn:oid:2.16.724.4.21.5.29', 'http://hl7.org/fhir/sid/icd-10-es'],
  ['urn:oid:2.16.840.1.113883.6.999', 'urn:oid:2.16.840.1.113883.6.999'],
  ['https://terminology.hl7.org/CodeSystem/v3-ActCode/', 'http://terminology.hl7.org/CodeSystem/v3-ActCode'],
  ['https://lab.example/codes/', 'https://lab.example/codes/'],
] as const)
  test(`${given} is ${name}`, () => assert.equal(systemName(given), name))

test('a system with many slashes is read at once', { timeout: 10_000 }, () => {
  const long = `http://loinc.org${'/'.repeat(500_000)}x`
  assert.equal(systemName(long), long)
})
