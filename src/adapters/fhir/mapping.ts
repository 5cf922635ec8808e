/** What a mapping file may say: where each field of a record is found in FHIR resources. Part of the clinical knowledge. */
import Type from 'typebox'

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const note = Type.Optional(text)
const texts = Type.Array(text, { minItems: 1 })
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const months = Type.Integer({ minimum: 1, maximum: 120 })

const Coding = Type.Object({ system: text, code: text, source: Type.Optional(text) }, closed)
const CodeSet = Type.Object({ system: text, codes: texts }, closed)
const Window = Type.Union([
  Type.Literal('stay', { description: 'During the index stay, or the emergency visit that led to it.' }),
  Type.Object({ monthsBefore: months, andStay: Type.Literal(true) }, closed),
])

const Age = Type.Object(
  { take: Type.Literal('age'), resource: Type.Literal('Patient'), path: text, note },
  closed,
)
const First = Type.Object(
  {
    take: Type.Literal('first', { description: 'The first path that gives a known code decides.' }),
    resource: Type.Enum(['Patient', 'Encounter']),
    paths: texts,
    values: Type.Array(Type.Object({ system: Type.Optional(text), code: text, value }, closed), {
      minItems: 1,
    }),
    note,
  },
  closed,
)
const Count = Type.Object(
  {
    take: Type.Literal('count'),
    resource: Type.Literal('Encounter'),
    class: Type.Enum(['inpatient', 'emergency']),
    monthsBefore: months,
    note,
  },
  closed,
)
const Days = Type.Object({ take: Type.Literal('days'), resource: Type.Literal('Encounter'), note }, closed)
const Latest = Type.Object(
  {
    take: Type.Literal('latest'),
    resource: Type.Literal('Observation'),
    codes: Type.Array(Coding, { minItems: 1 }),
    path: text,
    unit: Type.Optional(
      Type.String({ minLength: 1, description: 'UCUM. Commensurable units are converted.' }),
    ),
    convert: Type.Optional(
      Type.Array(
        Type.Object(
          {
            from: text,
            multiplyBy: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
            divideBy: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
            note,
          },
          closed,
        ),
      ),
    ),
    window: Window,
    note,
  },
  closed,
)
const AnyProcedure = Type.Object(
  {
    take: Type.Literal('any'),
    resource: Type.Literal('Procedure'),
    statuses: texts,
    window: Type.Literal('stay'),
    value,
    otherwise: value,
    note,
  },
  closed,
)
const Group = Type.Object({ groups: texts, value, beforeStay: Type.Optional(Type.Literal(true)) }, closed)
const AnyCondition = Type.Object(
  {
    take: Type.Literal('any'),
    resource: Type.Literal('Condition'),
    groups: texts,
    value,
    else: Type.Optional(Type.Array(Group, { minItems: 1 })),
    otherwise: value,
    note,
  },
  closed,
)

const Scale = Type.Object(
  {
    total: Type.Optional(Type.Array(Coding, { minItems: 1 })),
    panel: Type.Optional(Type.Array(Coding, { minItems: 1 })),
    items: Type.Optional(Type.Record(Type.String(), Type.Array(Coding, { minItems: 1 }))),
  },
  closed,
)
const Encounters = Type.Object(
  {
    classes: Type.Object(
      { inpatient: Type.Array(CodeSet), emergency: Type.Array(CodeSet), other: Type.Array(CodeSet) },
      closed,
    ),
    finished: texts,
    current: texts,
    partOfStay: Type.Array(CodeSet),
    leadsWithinHours: Type.Number({ minimum: 0, maximum: 72 }),
  },
  closed,
)
const Prefixes = Type.Array(Type.String({ pattern: '^[A-Z][0-9A-Z]{1,6}$' }), { minItems: 1 })
const Diagnoses = Type.Object(
  {
    systems: texts,
    clinicalStatuses: texts,
    verificationStatuses: texts,
    source: text,
    groups: Type.Record(
      Type.String(),
      Type.Union([Prefixes, Type.Object({ prefixes: Prefixes, except: Prefixes }, closed)]),
    ),
  },
  closed,
)

const Field = Type.Union([Age, First, Count, Days, Latest, AnyProcedure, AnyCondition])

export const MappingFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    encounters: Type.Optional(Encounters),
    fields: Type.Optional(Type.Record(Type.String(), Field)),
    scaleWindow: Type.Optional(Window),
    scales: Type.Optional(Type.Record(Type.String(), Scale)),
    diagnoses: Type.Optional(Diagnoses),
  },
  closed,
)

export type MappingParts = Type.Static<typeof MappingFile>
export type FieldMapping = Type.Static<typeof Field>
export type LatestMapping = Type.Static<typeof Latest>
export type ScaleMapping = Type.Static<typeof Scale>
export type MappedWindow = Type.Static<typeof Window>
export type MappedCoding = Type.Static<typeof Coding>
export type MappedValue = string | number | boolean

export interface Mapping {
  readonly encounters: Type.Static<typeof Encounters>
  readonly fields: Readonly<Record<string, FieldMapping>>
  readonly scaleWindow: MappedWindow
  readonly scales: Readonly<Record<string, ScaleMapping>>
  readonly diagnoses: Type.Static<typeof Diagnoses>
}

/** Our own code system: its codes are the names of the fields, so that every field can be sent as an Observation. */
export const FIELD_SYSTEM = 'urn:patient-risk:fields'
