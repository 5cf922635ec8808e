/** `patient-risk models` and `scales`: list what the catalogue has, or show one entry of it. */
import { type CatalogModel, findModel, describeDomain } from '@patient-risk/catalog'
import { horizon, modelPage, scalePage, treeNumbered } from '@patient-risk/catalog/pages'
import { scaleParts } from 'patient-risk-engine/definition'
import { Refusal, UsageError, command, printOutput, textTable } from '../command.ts'
import { loadOrRefusal, unknownName } from './load-catalog.ts'

export const models = command(
  { flags: ['json'], texts: ['tree'], operands: true },
  ({ json, tree }, [name, ...others]) => {
    refuseSeveral(others)
    const { catalog } = loadOrRefusal()
    if (name === undefined) {
      const all = [...catalog.models.values()]
      const rows = all.map(({ definition: { id, version, title, card }, selfCheckFailures }) => {
        const ready = selfCheckFailures.length === 0 ? 'yes' : 'no: see patient-risk check'
        return [`${id}@${version}`, title, horizon(card.horizonDays), ready]
      })
      const summaries = all.map((model) => {
        const { id, version, title, card } = model.definition
        const { outcome, horizonDays } = card
        return { id, version, title, outcome, horizonDays, ...stateOf(model) }
      })
      return printOutput(textTable(['MODEL', 'TITLE', 'HORIZON', 'READY'], rows), json && summaries)
    }
    const model = findModel(catalog, name)
    if (model === undefined) throw unknownName('model', name, catalog.models.keys())
    const { definition, selfCheckFailures: trouble } = model
    if (tree === undefined)
      return printOutput(modelPage(catalog, model), json && { ...definition, ...stateOf(model), trouble })
    const text = treeNumbered(definition.terms, Number(tree))
    if (text === undefined) throw new Refusal(`${name} has no tree ${tree}.`)
    return printOutput(text)
  },
)

export const scales = command({ flags: ['json'], operands: true }, ({ json }, [name, ...others]) => {
  refuseSeveral(others)
  const { catalog } = loadOrRefusal()
  if (name === undefined) {
    const all = [...catalog.scales.values()]
    const rows = all.map(({ id, version, title, items, verified }) => {
      return [id, String(version), title, String(Object.keys(items).length), verified ? 'yes' : 'NO']
    })
    const summaries = all.map(({ id, version, title, verified }) => ({ id, version, title, verified }))
    return printOutput(textTable(['SCALE', 'VERSION', 'TITLE', 'ITEMS', 'VERIFIED'], rows), json && summaries)
  }
  const scale = catalog.scales.get(name)
  if (scale === undefined) throw unknownName('scale', name, catalog.scales.keys())
  // The file, and what follows from it: every field with what it may hold.
  const fields = scaleParts(scale).map(({ name: part, role, domain }) => {
    return { name: `${scale.id}_${part}`, role, ...describeDomain(domain) }
  })
  return printOutput(scalePage(catalog, scale), json && { ...scale, fields })
})

function refuseSeveral(others: readonly string[]): void {
  if (others.length > 0) throw new UsageError('One name at a time.')
}

function stateOf({ digest, released, selfCheckFailures }: CatalogModel): object {
  return { digest: `sha-256=:${digest}:`, released, ready: selfCheckFailures.length === 0 }
}
