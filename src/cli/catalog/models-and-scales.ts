/** `patient-risk models` and `scales`: list what the catalogue has, or show one entry of it. */
import { type Catalog, type CatalogModel, findModel } from '../../catalog/catalog.ts'
import { describeDomain } from '../../catalog/describe-fields.ts'
import { horizon, modelPage } from '../../catalog/pages/model-page.ts'
import { scalePage } from '../../catalog/pages/scale-page.ts'
import { treeNumbered } from '../../catalog/pages/tree-text.ts'
import { scaleParts } from '../../definition/scale-domains.ts'
import type { ScaleDefinition } from '../../definition/scale.ts'
import { type Command, Refusal, UsageError, command, printOutput, textTable } from '../command.ts'
import { loadOrRefusal, unknownName } from './load-catalog.ts'

interface Kind<T> {
  readonly name: 'model' | 'scale'
  readonly all: (catalog: Catalog) => ReadonlyMap<string, T>
  readonly find: (catalog: Catalog, name: string) => T | undefined
  readonly page: (catalog: Catalog, entry: T) => string
  /** A part of an entry that has too many for its page, by its number from 1. */
  readonly part?: {
    readonly name: string
    readonly print: (entry: T, number: number) => string | undefined
  }
  /** The cells of the list, by their headings. */
  readonly row: (entry: T) => Readonly<Record<string, string>>
  /** The same list as JSON, and one whole entry as JSON. */
  readonly summary: (entry: T) => object
  readonly details: (entry: T) => object
}

export const models = showCommand<CatalogModel>({
  name: 'model',
  all: ({ models }) => models,
  find: findModel,
  page: modelPage,
  part: {
    name: 'tree',
    print: ({ definition }, number) => treeNumbered(definition.terms, number),
  },
  row: ({ definition: { id, version, title, card }, selfCheckFailures }) => ({
    MODEL: `${id}@${version}`,
    TITLE: title,
    HORIZON: horizon(card.horizonDays),
    READY: selfCheckFailures.length === 0 ? 'yes' : 'no: see patient-risk check',
  }),
  summary: (model) => {
    const { id, version, title, card } = model.definition
    return { id, version, title, outcome: card.outcome, horizonDays: card.horizonDays, ...stateOf(model) }
  },
  details: (model) => ({ ...model.definition, ...stateOf(model), trouble: model.selfCheckFailures }),
})

export const scales = showCommand<ScaleDefinition>({
  name: 'scale',
  all: ({ scales }) => scales,
  find: ({ scales }, name) => scales.get(name),
  page: scalePage,
  row: ({ id, version, title, items, verified }) => ({
    SCALE: id,
    VERSION: String(version),
    TITLE: title,
    ITEMS: String(Object.keys(items).length),
    VERIFIED: verified ? 'yes' : 'NO',
  }),
  summary: ({ id, version, title, verified }) => ({ id, version, title, verified }),
  // The file, and what follows from it: every field with what it may hold.
  details: (scale) => ({
    ...scale,
    fields: scaleParts(scale).map(({ name, role, domain }) => ({
      name: `${scale.id}_${name}`,
      role,
      ...describeDomain(domain),
    })),
  }),
})

function showCommand<T>({ name: kind, all, find, part, ...print }: Kind<T>): Command {
  const options = { flags: ['json'], texts: part === undefined ? [] : [part.name], operands: true } as const
  return command(options, (values, name, names) => {
    if (names.length > 1) throw new UsageError('One name at a time.')
    const { catalog } = loadOrRefusal()
    if (names.length === 0) {
      const entries = [...all(catalog).values()]
      const rows = entries.map(print.row)
      const list = textTable(Object.keys(rows[0] ?? {}), rows.map(Object.values))
      return printOutput(list, values.json && entries.map(print.summary))
    }
    const entry = find(catalog, name)
    if (entry === undefined) throw unknownName(kind, name, all(catalog).keys())
    const number = part && values[part.name]
    if (part !== undefined && number !== undefined) {
      const text = part.print(entry, Number(number))
      if (text === undefined) throw new Refusal(`${name} has no ${part.name} ${number}.`)
      return printOutput(text)
    }
    return printOutput(print.page(catalog, entry), values.json && print.details(entry))
  })
}

function stateOf({ digest, released, selfCheckFailures }: CatalogModel): object {
  return { digest: `sha-256=:${digest}:`, released, ready: selfCheckFailures.length === 0 }
}
