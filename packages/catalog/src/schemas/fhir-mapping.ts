/** What a mapping file may say: where each field of a record is found in FHIR resources. Part of the clinical definitions. */
import Type from 'typebox'
import { maybe, closed as object, recordOf, some, text } from './shape.ts'

const note = maybe(text)
const texts = some(text)
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const months = Type.Integer({ minimum: 1, maximum: 120 })
const factor = maybe(Type.Number({ exclusiveMinimum: 0 }))

const Coding = object({ system: text, code: text, source: maybe(text) })
const Codings = some(Coding)
const CodeSets = Type.Array(object({ system: text, codes: texts }))
const Window = Type.Union([
  Type.Literal('stay', { description: 'During the index stay, or the emergency visit that led to it.' }),
  object({ monthsBefore: months, andStay: Type.Literal(true) }),
])

const Age = object({ take: Type.Literal('age'), resource: Type.Literal('Patient'), path: text, note })
const First = object({
  take: Type.Literal('first', { description: 'The first path that gives a known code decides.' }),
  resource: Type.Enum(['Patient', 'Encounter']),
  paths: texts,
  values: some(object({ system: maybe(text), code: text, value })),
  otherwise: maybe(
    object({ value, unless: maybe(CodeSets) }),
    'The value for other codes of the same systems, unless they leave it open.',
  ),
  afterEmergency: maybe(value, 'Without a known code: the value where an emergency visit led to the stay.'),
  note,
})
const Count = object({
  take: Type.Literal('count'),
  resource: Type.Literal('Encounter'),
  class: Type.Enum(['inpatient', 'emergency', 'primaryCare']),
  monthsBefore: months,
  note,
})
const Days = object({ take: Type.Literal('days'), resource: Type.Literal('Encounter'), note })
const Grade = Type.Union([
  object({ system: text, code: text, value }),
  object({ unit: maybe(text), from: Type.Number(), to: Type.Number(), value }),
])
const Latest = object({
  take: Type.Literal('latest'),
  resource: Type.Literal('Observation'),
  codes: Codings,
  path: text,
  grades: maybe(
    some(Grade),
    'The value for a code, or for a number in a range, in a unit where one is given. Others are not known.',
  ),
  unit: maybe(text, 'UCUM. Commensurable units are converted.'),
  decimals: maybe(Type.Integer({ minimum: 0, maximum: 6 }), 'How many decimals a converted number keeps.'),
  convert: maybe(Type.Array(object({ from: text, multiplyBy: factor, divideBy: factor, note }))),
  window: Window,
  note,
})
const AnyProcedure = object({
  take: Type.Literal('any'),
  resource: Type.Literal('Procedure'),
  statuses: texts,
  window: Type.Literal('stay'),
  value,
  otherwise: value,
  note,
})
const Group = object({ groups: texts, value, beforeStay: maybe(Type.Literal(true)) })
const AnyCondition = object({
  take: Type.Literal('any'),
  resource: Type.Literal('Condition'),
  groups: texts,
  value,
  else: maybe(some(Group)),
  otherwise: value,
  inPreviousStay: maybe(Type.Literal(true), 'Only what belongs to the stay before the index stay counts.'),
  activeOnly: maybe(Type.Literal(true), 'Only what is active counts; what is over or in remission does not.'),
  note,
})

const Scale = object({
  total: maybe(Codings),
  panel: maybe(Codings),
  items: maybe(recordOf(Codings)),
  readingsWithinHours: maybe(
    Type.Number({ exclusiveMinimum: 0, maximum: 24 }),
    'The readings of the scale are one set: of one Encounter, and not further apart than this.',
  ),
})
const Encounters = object({
  classes: object({ inpatient: CodeSets, emergency: CodeSets, other: CodeSets }),
  finished: texts,
  current: texts,
  waiting: texts,
  partOfStay: CodeSets,
  died: CodeSets,
  primaryCare: object({ classes: CodeSets, services: CodeSets }),
  leadsWithinHours: Type.Number({ minimum: 0, maximum: 72 }),
})
const Prefixes = some(Type.String({ pattern: '^[A-Z][0-9A-Z]{1,6}$' }))
const History = object(
  {
    statuses: texts,
    counts: Type.Union([Type.Enum(['yes', 'unclear']), object({ forYears: Type.Integer({ minimum: 1 }) })]),
    note,
  },
  {
    description:
      'Whether a diagnosis with one of these statuses counts for the group: yes, not known, or for years after its start.',
  },
)
const Unclear = object(
  { prefixes: Prefixes, systems: maybe(texts), groups: maybe(texts), note, source: maybe(text) },
  {
    description:
      'Codes that do not say "no" to these groups, or to any: they are of one only together with a code that may not have been sent, or the list of codes that the groups come from is older than they are, or is of another country.',
  },
)
const Diagnoses = object({
  systems: some(text, 'Systems of ICD-10. A star at the end stands for what follows, such as a year.'),
  clinicalStatuses: texts,
  activeStatuses: texts,
  verificationStatuses: texts,
  history: Type.Record(Type.String(), History),
  undivided: CodeSets,
  unclear: Type.Array(Unclear),
  source: text,
  groups: Type.Record(
    Type.String(),
    Type.Union([Prefixes, object({ prefixes: Prefixes, except: maybe(Prefixes), codings: maybe(CodeSets) })]),
  ),
})

const Outcome = object({ system: text, code: text, display: text, source: maybe(text) })
const Field = Type.Union([Age, First, Count, Days, Latest, AnyProcedure, AnyCondition])

/** A file says what it changes; what it leaves out stays as it is. */
const closed = { additionalProperties: false }
const { classes, ...rules } = Encounters.properties
const EncountersPart = Type.Partial(object({ ...rules, classes: Type.Partial(classes, closed) }), closed)

export const MappingFile = object({
  $schema: maybe(Type.String()),
  encounters: maybe(EncountersPart),
  fields: maybe(recordOf(Field)),
  scaleWindow: maybe(Window),
  scales: maybe(recordOf(Scale)),
  diagnoses: maybe(Type.Partial(Diagnoses, closed)),
  outcomes: maybe(
    recordOf(some(Outcome)),
    'By the id of a model: the codes of its outcome in a RiskAssessment.',
  ),
})

export type MappingParts = Type.Static<typeof MappingFile>
export type Mapping = Readonly<
  Required<Omit<MappingParts, '$schema' | 'encounters' | 'diagnoses'>> & {
    encounters: Type.Static<typeof Encounters>
    diagnoses: Type.Static<typeof Diagnoses>
    maps: CodeMaps
    /** Of all files that the mapping was read from: SHA-256, base64. */
    digest: string
  }
>

/** What the maps of a site say of codes that are not of ICD-10. */
export interface CodeMaps {
  /** By system and code: the codes of ICD-10 that a ConceptMap gives for it. */
  readonly translations: ReadonlyMap<string, ReadonlyMap<string, Translation>>
  /** By group of diagnoses and system: the codes that are of the group. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>
  /** By system: all codes that a ValueSet lists. One that is not in the set of a group is not of the group. */
  readonly known: ReadonlyMap<string, ReadonlySet<string>>
}

/** Codes of ICD-10 without dots, by what they mean for the code that is translated. */
export interface Translation {
  /** It means the same. */
  readonly same: readonly string[]
  /** It is a kind of these. */
  readonly wider: readonly string[]
  /** It may be one of these, or not. */
  readonly open: readonly string[]
}
export type FieldMapping = Type.Static<typeof Field>
export type LatestMapping = Type.Static<typeof Latest>
export type MappedWindow = Type.Static<typeof Window>
export type MappedCoding = Type.Static<typeof Coding>
