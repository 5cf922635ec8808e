/** What a mapping file may say: where each field of a record is found in FHIR resources. Part of the clinical knowledge. */
import Type from 'typebox'
import { closed as object, text } from '../../definition/shape.ts'

const note = Type.Optional(text)
const texts = Type.Array(text, { minItems: 1 })
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const months = Type.Integer({ minimum: 1, maximum: 120 })
const factor = Type.Optional(Type.Number({ exclusiveMinimum: 0 }))

const Coding = object({ system: text, code: text, source: Type.Optional(text) })
const Codings = Type.Array(Coding, { minItems: 1 })
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
  values: Type.Array(object({ system: Type.Optional(text), code: text, value }), { minItems: 1 }),
  note,
})
const Count = object({
  take: Type.Literal('count'),
  resource: Type.Literal('Encounter'),
  class: Type.Enum(['inpatient', 'emergency']),
  monthsBefore: months,
  note,
})
const Days = object({ take: Type.Literal('days'), resource: Type.Literal('Encounter'), note })
const Latest = object({
  take: Type.Literal('latest'),
  resource: Type.Literal('Observation'),
  codes: Codings,
  path: text,
  unit: Type.Optional(Type.String({ minLength: 1, description: 'UCUM. Commensurable units are converted.' })),
  convert: Type.Optional(Type.Array(object({ from: text, multiplyBy: factor, divideBy: factor, note }))),
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
const Group = object({ groups: texts, value, beforeStay: Type.Optional(Type.Literal(true)) })
const AnyCondition = object({
  take: Type.Literal('any'),
  resource: Type.Literal('Condition'),
  groups: texts,
  value,
  else: Type.Optional(Type.Array(Group, { minItems: 1 })),
  otherwise: value,
  note,
})

const Scale = object({
  total: Type.Optional(Codings),
  panel: Type.Optional(Codings),
  items: Type.Optional(Type.Record(Type.String(), Codings)),
})
const Encounters = object({
  classes: object({ inpatient: CodeSets, emergency: CodeSets, other: CodeSets }),
  finished: texts,
  current: texts,
  partOfStay: CodeSets,
  leadsWithinHours: Type.Number({ minimum: 0, maximum: 72 }),
})
const Prefixes = Type.Array(Type.String({ pattern: '^[A-Z][0-9A-Z]{1,6}$' }), { minItems: 1 })
const Diagnoses = object({
  systems: texts,
  clinicalStatuses: texts,
  verificationStatuses: texts,
  source: text,
  groups: Type.Record(
    Type.String(),
    Type.Union([Prefixes, object({ prefixes: Prefixes, except: Prefixes })]),
  ),
})

const Field = Type.Union([Age, First, Count, Days, Latest, AnyProcedure, AnyCondition])

/** A file says what it changes; what it leaves out stays as it is. */
const closed = { additionalProperties: false }
const { classes, ...rules } = Encounters.properties
const EncountersPart = Type.Partial(object({ ...rules, classes: Type.Partial(classes, closed) }), closed)

export const MappingFile = object({
  $schema: Type.Optional(Type.String()),
  encounters: Type.Optional(EncountersPart),
  fields: Type.Optional(Type.Record(Type.String(), Field)),
  scaleWindow: Type.Optional(Window),
  scales: Type.Optional(Type.Record(Type.String(), Scale)),
  diagnoses: Type.Optional(Type.Partial(Diagnoses, closed)),
})

export type MappingParts = Type.Static<typeof MappingFile>
export type Mapping = Readonly<
  Required<Omit<MappingParts, '$schema' | 'encounters' | 'diagnoses'>> & {
    encounters: Type.Static<typeof Encounters>
    diagnoses: Type.Static<typeof Diagnoses>
  }
>
export type FieldMapping = Type.Static<typeof Field>
export type LatestMapping = Type.Static<typeof Latest>
export type MappedWindow = Type.Static<typeof Window>
export type MappedCoding = Type.Static<typeof Coding>
