/** `patient-risk models`: lists the models of the catalogue, or shows one as its card. */
import { type Catalog, type CatalogModel, findModel } from '../../catalog/catalog.ts'
import { horizon, modelPage } from '../../catalog/pages/model-page.ts'
import { textTable } from '../output/text-table.ts'
import { type Command, UsageError, parseArguments } from '../command.ts'
import { loadOrFaults, printUnknown } from './load-catalog.ts'

export const models: Command = {
  help: `Usage: patient-risk models [NAME] [--json]

Without a name: every model of the package and of the folders that CONFIG names.
With a name (lace, or lace@1.1.0): its card, inputs, points, table of risks, limits and source.

Options:
  --json    print JSON in place of text

Exit codes: 0 shown, 1 no such model or a refused file, 2 wrong usage.`,
  run(args) {
    const { positionals, values } = parseArguments(args, { flags: ['json'] }, true)
    if (positionals.length > 1) throw new UsageError('One name at a time.')
    const catalog = loadOrFaults()?.catalog
    if (catalog === undefined) return 1
    const [name] = positionals
    if (name === undefined) return listModels(catalog, values.json === true)
    const model = findModel(catalog, name)
    if (model === undefined) {
      printUnknown('model', name, catalog.models.keys())
      return 1
    }
    process.stdout.write(
      values.json === true ? `${JSON.stringify(shown(model))}\n` : modelPage(catalog, model),
    )
    return 0
  },
}

function listModels(catalog: Catalog, asJson: boolean): number {
  const all = [...catalog.models.values()]
  if (asJson) {
    const rows = all.map(({ definition: { id, version, title, card }, digest, released, trouble }) => ({
      id,
      version,
      title,
      outcome: card.outcome,
      horizonDays: card.horizonDays,
      digest: `sha-256=:${digest}:`,
      released,
      ready: trouble.length === 0,
    }))
    process.stdout.write(`${JSON.stringify(rows)}\n`)
    return 0
  }
  const rows = all.map(({ definition: { id, version, title, card }, trouble }) => [
    `${id}@${version}`,
    title,
    horizon(card.horizonDays),
    trouble.length === 0 ? 'yes' : 'no: see patient-risk check',
  ])
  process.stdout.write(textTable(['MODEL', 'TITLE', 'HORIZON', 'READY'], rows))
  return 0
}

function shown({ definition, digest, released, trouble }: CatalogModel): object {
  return { ...definition, digest: `sha-256=:${digest}:`, released, ready: trouble.length === 0, trouble }
}
