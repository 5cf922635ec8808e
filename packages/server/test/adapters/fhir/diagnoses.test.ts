/** Conditions to diagnoses: ICD-10 prefixes, statuses, and what belongs to the stay. */
import { type Resource, STAY, condition } from './source.ts'
import { type RecordCase, checkRecords } from './record-cases.ts'

/** As of today: the stay of March is over, and what has no date counts now. */
const COMPLETE = { history: 'complete', asOf: '2026-11-15' }
const DIAGNOSES: readonly RecordCase[] = [
  {
    name: 'no Condition means unknown',
    resources: [STAY],
    record: { dementia: null, charlson_dementia: null },
  },
  {
    name: 'no Condition in a complete history means no',
    resources: [STAY],
    query: COMPLETE,
    record: { dementia: false, cancer: 'none', charlson_dementia: 0 },
  },
  {
    name: 'a status that cannot be read leaves open whether the patient has it',
    resources: [STAY, { ...condition('a', 'C79.5'), clinicalStatus: { text: 'Active' } }],
    query: COMPLETE,
    record: { cancer: null, dementia: null },
  },
  {
    name: 'a Condition that names nobody leaves open whose it is',
    resources: [STAY, { ...condition('a', 'C79.5'), subject: { identifier: { value: '1' } } }],
    query: COMPLETE,
    // The code is that of a tumour, so that it says nothing of dementia.
    record: { cancer: null, dementia: false },
  },
  {
    name: 'dots and case do not matter',
    resources: [STAY, condition('a', 'i25.2'), condition('b', 'E11.65')],
    query: COMPLETE,
    record: { charlson_myocardialInfarction: 1, charlson_diabetes: 1 },
  },
  {
    name: 'the severe form replaces the mild one',
    resources: [
      STAY,
      condition('a', 'K70.3'),
      condition('b', 'K72.9'),
      condition('c', 'C50'),
      condition('d', 'C79.5'),
    ],
    query: COMPLETE,
    record: {
      charlson_liverDisease: 3,
      charlson_solidTumor: 6,
      cancer: 'metastatic',
      laceCharlson_anyTumor: 0,
      laceCharlson_metastaticSolidTumor: 6,
    },
  },
  {
    name: 'renal stages 1 and 2 are mild',
    resources: [STAY, condition('a', 'N18.2')],
    query: COMPLETE,
    record: { laceCharlson_mildLiverOrRenalDisease: 2, laceCharlson_moderateSevereLiverOrRenalDisease: 0 },
  },
  {
    name: 'a renal disease without a stage is not',
    resources: [STAY, condition('a', 'N18.9')],
    query: COMPLETE,
    record: { laceCharlson_mildLiverOrRenalDisease: 0, laceCharlson_moderateSevereLiverOrRenalDisease: 4 },
  },
  {
    name: 'an infarction of the index stay is not a previous one',
    resources: [STAY, condition('a', 'I21.0', { encounter: { reference: 'Encounter/index' } })],
    query: COMPLETE,
    record: { laceCharlson_previousMyocardialInfarction: 0, charlson_myocardialInfarction: 1 },
  },
  {
    name: 'refuted and provisional diagnoses do not count',
    resources: [
      STAY,
      ...['refuted', 'provisional', 'entered-in-error'].map((code) =>
        condition(code, 'F03', {
          verificationStatus: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code }],
          },
        }),
      ),
    ],
    query: COMPLETE,
    record: { dementia: false },
  },
  {
    name: 'a diagnosis without an ICD-10 code may be any',
    resources: [
      STAY,
      { ...condition('a', 'x'), code: { coding: [{ system: 'http://snomed.info/sct', code: '52448006' }] } },
      condition('b', 'I50.0'),
    ],
    query: COMPLETE,
    record: { dementia: null, congestiveHeartFailure: true },
  },
]

/** Systems of ICD-10 as countries write them, and others that are not. */
const SYSTEMS: readonly (readonly [string, boolean])[] = [
  ['http://hl7.org/fhir/sid/icd-10', true],
  ['http://hl7.org/fhir/sid/icd-10-cm', true],
  ['http://hl7.org/fhir/sid/icd-10-es', true],
  ['http://hl7.org/fhir/sid/icd-10-am', true],
  ['http://hl7.org/fhir/sid/icd-10-nl', true],
  ['http://fhir.de/CodeSystem/bfarm/icd-10-gm', true],
  ['http://fhir.de/CodeSystem/dimdi/icd-10-gm', true],
  ['https://termgit.elga.gv.at/CodeSystem/icd-10-bmsgpk-2025', true],
  ['https://termgit.elga.gv.at/CodeSystem/icd-10-bmsgpk-2027', true],
  ['https://smt.esante.gouv.fr/terminologie-cim-10', true],
  ['https://smt.esante.gouv.fr/terminologie-cim-10/', true],
  ['urn:oid:2.16.840.1.113883.6.3', true],
  ['urn:oid:2.16.840.1.113883.6.3.2', true],
  ['urn:oid:2.16.840.1.113883.6.90', true],
  ['urn:oid:2.16.840.1.113883.6.135', true],
  ['urn:oid:2.16.724.4.21.5.29', true],
  ['urn:oid:1.2.752.116.1.1.1.1.3', true],
  ['http://hl7.org/fhir/sid/icd-10-pcs', false],
  ['http://hl7.org/fhir/sid/icd-9-cm', false],
  ['https://local.example/icd-10', false],
]
const ofSystem = (system: string, code: string): Resource =>
  condition('a', 'x', { code: { coding: [{ system, code }] } })

const CM = 'http://hl7.org/fhir/sid/icd-10-cm'
const AM = 'http://hl7.org/fhir/sid/icd-10-am'
const ICD = 'http://hl7.org/fhir/sid/icd-10'
/** Codes under the name of ICD-10, and what they say of a field; null: not known. */
const CODES: readonly (readonly [string, string, string, unknown, string])[] = [
  [ICD, 'E11', 'charlson_diabetes', null, 'cut short: with complications or without'],
  [ICD, 'E11.-', 'charlson_diabetes', null, 'a hyphen for what is not given'],
  [ICD, 'E11.9', 'charlson_diabetes', 1, 'in full'],
  [ICD, 'E11 E11.2', 'charlson_diabetes', 2, 'cut short, beside the full code'],
  [ICD, 'I25', 'charlson_myocardialInfarction', null, 'cut short: an old infarction, or not'],
  [ICD, 'I25', 'dementia', false, 'cut short, but certainly not dementia'],
  [ICD, 'I21', 'charlson_myocardialInfarction', 1, 'cut short, and an infarction whatever follows'],
  [ICD, 'N18', 'laceCharlson_mildLiverOrRenalDisease', null, 'cut short: its stage decides'],
  [ICD, 'N18', 'laceCharlson_moderateSevereLiverOrRenalDisease', null, 'cut short: its stage decides'],
  [ICD, 'F05', 'dementia', null, 'F05.1 is superimposed on dementia'],
  [CM, 'F05', 'dementia', false, 'F05 has no subdivision there'],
  [ICD, 'I20-I25', 'charlson_myocardialInfarction', null, 'a block of codes'],
  [ICD, 'I20-I25', 'dementia', null, 'a block of codes is read as no code'],
  [ICD, 'unknown', 'dementia', null, 'a text'],
  [ICD, '428.0', 'dementia', null, 'a code of ICD-9'],
  [ICD, 'BD10', 'dementia', null, 'a code of ICD-11'],
  [ICD, 'E11.9 ?', 'dementia', null, 'a code, and what cannot be read'],
  [ICD, 'G63.2*', 'charlson_diabetes', null, 'an asterisk code of diabetes without its dagger'],
  [ICD, 'G63.2*', 'dementia', false, 'an asterisk code of diabetes'],
  [AM, 'U82.2', 'congestiveHeartFailure', null, 'a chronic condition by a supplementary code'],
  [ICD, 'U82.2', 'congestiveHeartFailure', false, 'resistance to antibiotics'],
  [ICD, 'G99.0*', 'charlson_diabetes', null, 'autonomic neuropathy in endocrine diseases'],
  [ICD, 'I79.2*', 'charlson_peripheralVascularDisease', 1, 'peripheral angiopathy, by its own code'],
  [CM, 'E09.22', 'charlson_diabetes', null, 'diabetes by drugs'],
  [AM, 'E09.9', 'charlson_diabetes', 0, 'intermediate hyperglycaemia there'],
  [CM, 'C7A.00', 'charlson_solidTumor', null, 'a malignant neuroendocrine tumour'],
  [CM, 'C7A.00', 'activeNeoplasia', true, 'a malignant neuroendocrine tumour'],
  [CM, 'C7B.1', 'charlson_solidTumor', null, 'a secondary neuroendocrine tumour'],
  [ICD, 'C86.0', 'charlson_lymphoma', null, 'a lymphoma that is newer than the groups'],
  [ICD, 'C85.9', 'charlson_lymphoma', 2, 'a lymphoma of the groups'],
  [ICD, 'I98.3*', 'charlson_liverDisease', null, 'varices with bleeding, newer than the groups'],
  [CM, 'I85.11', 'charlson_liverDisease', null, 'secondary varices'],
  [ICD, 'I85.0', 'charlson_liverDisease', 3, 'varices of the groups'],
  [ICD, 'F10.4', 'dementia', false, 'delirium by alcohol is no dementia'],
]
const GM = 'http://fhir.de/CodeSystem/bfarm/icd-10-gm'
const certainty = (code: string, more: Resource = {}): Resource => {
  const url = 'http://fhir.de/StructureDefinition/icd-10-gm-diagnosesicherheit'
  const coding = [{ system: GM, code: 'F03', extension: [{ url, valueCoding: { code } }] }]
  return condition('a', 'x', { code: { coding }, ...more })
}
const RESOLVED = {
  clinicalStatus: {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'resolved' }],
  },
}
/** What a German code says of its certainty, and dementia; null: not known. */
const CERTAINTIES: readonly (readonly [Resource, boolean | null, string])[] = [
  [certainty('G'), true, 'confirmed'],
  [certainty('A'), null, 'excluded'],
  [certainty('V'), null, 'suspected'],
  [certainty('Z'), null, 'past, with no status that says so'],
  [certainty('A', RESOLVED), null, 'excluded, and said to be over'],
]

checkRecords([
  ...DIAGNOSES,
  ...CODES.map(([system, code, field, value, because]) => ({
    name: `${code} of ${system} gives ${field} ${String(value)}: ${because}`,
    resources: [STAY, ofSystem(system, code)],
    query: COMPLETE,
    record: { [field]: value },
  })),
  ...CERTAINTIES.map(([diagnosis, dementia, because]) => ({
    name: `a German code that is ${because} gives dementia ${String(dementia)}`,
    resources: [STAY, diagnosis],
    query: COMPLETE,
    record: { dementia },
  })),
  {
    name: 'a German code that is past gives a tumour of the last five years, where the status says so too',
    resources: [
      STAY,
      condition('a', 'x', {
        code: {
          coding: [
            {
              ...(certainty('Z')['code'] as { coding: Resource[] }).coding[0],
              code: 'C50.9',
            },
          ],
        },
        ...RESOLVED,
        onsetDateTime: '2025-01-01',
      }),
    ],
    query: COMPLETE,
    record: { charlson_solidTumor: 2 },
  },
  {
    name: 'the reason names the code that was cut short, and no text in its place',
    resources: [STAY, ofSystem(ICD, 'E11')],
    query: COMPLETE,
    record: { charlson_diabetes: null },
    why: {
      charlson_diabetes: /has the ICD-10 code E11, so it may be the one: Bundle\.entry\[2\]\. Send codes/,
    },
  },
  ...SYSTEMS.map(([system, isKnown]) => ({
    name: `${system} is ${isKnown ? 'read as' : 'not'} ICD-10`,
    resources: [STAY, ofSystem(system, 'F03')],
    query: COMPLETE,
    record: { dementia: isKnown ? true : null },
  })),
  {
    name: 'a dual code is two codes, and its marks do not matter',
    resources: [STAY, ofSystem('http://hl7.org/fhir/sid/icd-10', 'G63.2* E11.4+')],
    query: COMPLETE,
    record: { charlson_diabetes: 2 },
  },
])
