/** `patient-risk models` and `scales`: list what the catalogue has, or show one entry of it. */
import { type Catalog, type CatalogModel, findModel } from '../../catalog/catalog.ts'
import { describeDomain } from '../../catalog/describe-fields.ts'
import { horizon, modelPage } from '../../catalog/pages/model-page.ts'
import { scalePage } from '../../catalog/pages/scale-page.ts'
import { treeNumbered } from '../../catalog/pages/tree-text.ts'
import { scaleParts } from '../../definition/scale-domains.ts'
import type { ScaleDefinition } from '../../definition/scale.ts'
import { type Command, Refusal, UsageError, parseArguments, printOutput, textTable } from '../command.ts'
import { loadOrRefusal, unknownName } from './load-catalog.ts'

interface Kind<T> {
  readonly name: 'model' | 'scale'
  /** What the page of one entry holds, for the help text. */
  readonly about: string
  readonly all: (catalog: Catalog) => ReadonlyMap<string, T>
  readonly find: (catalog: Catalog, name: string) => T | undefined
  readonly page: (catalog: Catalog, entry: T) => string
  /** A part of an entry that has too many for its page, by its number from 1. */
  readonly part?: {
    readonly name: string
    readonly help: string
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
  about: '(lace, or lace@1.1.0): its card, inputs, points, table of risks, limits and source',
  all: ({ models }) => models,
  find: findModel,
  page: modelPage,
  part: {
    name: 'tree',
    help: '--tree N  with a name: one decision tree of the model in words, counted from 1',
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
  about: '(barthel): its items and permitted values, how the total is formed, bands, variants and source',
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

function showCommand<T>({ name: kind, about, all, find, part, ...print }: Kind<T>): Command {
  return {
    help: `Usage: patient-risk ${kind}s [NAME] [--json]${part === undefined ? '' : ` [--${part.name} N]`}

Without a name: every ${kind} of the package and of the folders that CONFIG names.
With a name ${about}.

Options:
  --json    print JSON in place of text${part === undefined ? '' : `\n  ${part.help}`}

Exit codes: 0 shown, 1 no such ${kind} or a refused file, 2 wrong usage.`,
    run(args) {
      const texts = part === undefined ? [] : [part.name]
      const { positionals, values } = parseArguments(args, { flags: ['json'], texts }, true)
      if (positionals.length > 1) throw new UsageError('One name at a time.')
      const { catalog } = loadOrRefusal()
      const [name] = positionals
      if (name === undefined) {
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
    },
  }
}

function stateOf({ digest, released, selfCheckFailures }: CatalogModel): object {
  return { digest: `sha-256=:${digest}:`, released, ready: selfCheckFailures.length === 0 }
}
