/** `learn template`: a first specification for a model file, from its own names, and fields that the catalogue does not have. */
import type { Catalog } from '@patient-risk/catalog'
import { type Domain, codesIn } from 'patient-risk-engine/definition'
import { type FeatureSpecification, TODO, type TermSpecification } from '../data/specification.ts'
import { termsIn } from '../import/coefficients.ts'
import { type DraftField, draftFields } from './draft-fields.ts'
import { nearFields } from '../import/map-features.ts'
import { readModelFile } from '../import/readers.ts'
import type { SourceFeature } from '../import/source.ts'

const todo = (what: string): string => `${TODO}: ${what}`

const GAPS = { whenAbsent: null, why: todo('why a record without it is scored') }

const CARD = {
  summary: todo('what the model predicts, in a sentence'),
  intendedUse: todo('what it is used for'),
  users: todo('who uses it'),
  population: todo('for whom it holds'),
  setting: todo('where'),
  outcome: todo('the event'),
  horizonDays: todo('days from the prediction to the end of the risk, a number'),
  missingData: todo('what happens where values are missing'),
  limits: [todo('known limits')],
}

interface FoundField {
  readonly field: string
  readonly codes: readonly string[]
}

export interface Template {
  readonly specification: object
  /** A draft of `fields.json`; undefined where the catalogue has all fields, or none are drafted. */
  readonly fields?: object
}

export interface TemplateOptions {
  /** Whether features without a field get a draft of one. */
  readonly draftsFields?: boolean
  /** Rows with the features under their own names, for types, ranges and codes. */
  readonly rows?: string | undefined
}

export async function templateFor(
  file: string,
  format: string,
  catalog: Catalog,
  { draftsFields = false, rows }: TemplateOptions = {},
): Promise<Template> {
  const isTable = format === 'coefficients'
  const features: readonly SourceFeature[] = isTable
    ? (await termsIn(file)).map((name) => ({ name, kind: 'unknown' }))
    : readModelFile(file, format, { isDraft: true, mayBeAbsent: () => false, baseline: 0.5 }).features
  const named = fieldNames(catalog)
  const existing = new Map(
    features.map(({ name }) => [name, fieldFor(name, named, catalog, draftsFields)] as const),
  )
  const lost = features.filter(({ name }) => existing.get(name) === undefined)
  const drafts = draftsFields ? await draftFields(lost, catalog, rows) : new Map<string, DraftField>()
  const found = new Map(
    features.map(({ name }): readonly [string, FoundField] => {
      const field = drafts.get(name)?.name ?? todo(`the field of ${name}`)
      return [name, existing.get(name) ?? { field, codes: [] }]
    }),
  )
  const fields = [...new Set([...found.values()].map(({ field }) => field))]
  const gapped = new Set([...drafts.values()].filter(({ hasGaps }) => hasGaps).map(({ name }) => name))
  const mapped = features.flatMap(({ name, kind, codes }): readonly [string, FeatureSpecification][] => {
    const { field, codes: is } = found.get(name) as FoundField
    const isDraft = drafts.has(name)
    const unknown = codes?.filter((code) => !codesIn(catalog.domains.get(field)).has(code)) ?? []
    const isNumbered = kind === 'code' && codes === undefined
    const feature = {
      ...(field !== name && { field }),
      ...(is.length > 0 && { is: [...is] }),
      ...(unknown.length > 0 && !isDraft && { values: { [todo('our code')]: unknown.join(' or ') } }),
      ...(isNumbered && { order: [todo('the codes by their numbers, from 0')] }),
    }
    // A feature that is named like its field is written once, among the inputs.
    return Object.keys(feature).length > 0 ? [[name, feature]] : []
  })
  const specification = {
    data: {
      outcome: { column: todo('the column of the outcome, for learn validate'), yes: ['1'], no: ['0'] },
    },
    model: {
      id: 'my-model',
      version: '1.0.0',
      title: todo('a title'),
      card: CARD,
      inputs: Object.fromEntries(fields.map((field) => [field, gapped.has(field) ? GAPS : {}])),
      ...(isTable && { terms: fields.map((field) => termFor(field, catalog.domains.get(field))) }),
      source: { cite: todo('who made the model, and where it is described') },
      licence: { status: todo('the licence'), shipped: 'All of it.' },
    },
    ...(!isTable && mapped.length > 0 && { import: { features: Object.fromEntries(mapped) } }),
  }
  if (drafts.size === 0) return { specification }
  const inputs = Object.fromEntries([...drafts.values()].map(({ name, definition }) => [name, definition]))
  return { specification, fields: { version: 1, inputs } }
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** What features of each field may be called: like it, or with one of its codes, as in sex_M, sexM and sex[T.M]. */
function fieldNames({ domains }: Catalog): ReadonlyMap<string, FoundField> {
  const names = new Map<string, FoundField>()
  const add = (name: string, found: FoundField): void => {
    if (!names.has(plain(name))) names.set(plain(name), found)
  }
  for (const [field, domain] of domains) {
    add(field, { field, codes: [] })
    for (const code of codesIn(domain).keys()) {
      add(`${field}${code}`, { field, codes: [code] })
      add(`${field}T${code}`, { field, codes: [code] })
    }
  }
  return names
}

function fieldFor(
  name: string,
  named: ReadonlyMap<string, FoundField>,
  catalog: Catalog,
  isSame: boolean,
): FoundField | undefined {
  // Where fields are drafted, nothing is guessed: crp is not crt.
  const [near] = isSame ? [] : nearFields(name, catalog)
  return named.get(plain(name)) ?? (near === undefined ? undefined : { field: near, codes: [] })
}

function termFor(field: string, domain: Domain | undefined): TermSpecification {
  if (domain?.kind === 'code')
    return { kind: 'category', field, reference: [...domain.codes.keys()][0] ?? '' }
  return { kind: domain?.kind === 'yesNo' ? 'flag' : 'linear', field }
}
