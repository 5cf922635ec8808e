/** `patient-risk models` and `scales`: list what the catalogue has, or show one entry of it. */
import {
  type CatalogModel,
  MODEL_PAGE_TEXTS,
  SCALE_PAGE_TEXTS,
  findModel,
  describeDomain,
  modelIn,
  scaleIn,
} from '@patient-risk/catalog'
import { horizon, modelPage, sayIn, scalePage, treeNumbered } from '@patient-risk/catalog/pages'
import { type ScaleDefinition, scaleParts } from 'patient-risk-engine/definition'
import { Refusal, UsageError, command, printOutput, textTable } from '../command.ts'
import { languageOrRefusal, loadOrRefusal, unknownName } from './load-catalog.ts'

const M = MODEL_PAGE_TEXTS
const S = SCALE_PAGE_TEXTS

export const models = command(
  { flags: ['json'], texts: ['tree', 'language'], operands: true },
  ({ json, tree, language }, [name, ...others]) => {
    refuseSeveral(others)
    const { catalog } = loadOrRefusal()
    const words = languageOrRefusal(catalog, language)
    const say = sayIn(words)
    const said = (model: CatalogModel): CatalogModel =>
      words === undefined ? model : { ...model, definition: modelIn(words, model.definition) }
    if (name === undefined) {
      const all = [...catalog.models.values()].map(said)
      const rows = all.map(({ definition: { id, version, title, card }, selfCheckFailures }) => {
        const ready =
          selfCheckFailures.length === 0 ? say(M.ready) : say(M.notReady, { command: 'patient-risk check' })
        return [`${id}@${version}`, title, horizon(card.horizonDays, say), ready]
      })
      const summaries = all.map((model) => {
        const { id, version, title, card } = model.definition
        const { outcome, horizonDays } = card
        return { id, version, title, outcome, horizonDays, ...stateOf(model) }
      })
      const head = [M.modelHead, M.titleHead, M.horizonHead, M.readyHead].map((text) => say(text))
      return printOutput(textTable(head, rows), json && summaries)
    }
    const found = findModel(catalog, name)
    if (found === undefined) throw unknownName('model', name, catalog.models.keys())
    const model = said(found)
    const { definition, selfCheckFailures: trouble } = model
    if (tree === undefined)
      return printOutput(
        modelPage(catalog, model, words),
        json && { ...definition, ...stateOf(model), trouble },
      )
    const text = treeNumbered(definition.terms, Number(tree), say)
    if (text === undefined) throw new Refusal(`${name} has no tree ${tree}.`)
    return printOutput(text)
  },
)

const SCALE_OPTIONS = { flags: ['json'], texts: ['language'], operands: true } as const

export const scales = command(SCALE_OPTIONS, ({ json, language }, [name, ...others]) => {
  refuseSeveral(others)
  const { catalog } = loadOrRefusal()
  const words = languageOrRefusal(catalog, language)
  const say = sayIn(words)
  const said = (scale: ScaleDefinition): ScaleDefinition =>
    words === undefined ? scale : scaleIn(words, scale)
  if (name === undefined) {
    const all = [...catalog.scales.values()].map(said)
    const rows = all.map(({ id, version, title, items, verified }) => {
      return [
        id,
        String(version),
        title,
        String(Object.keys(items).length),
        say(verified ? S.verified : S.unverified),
      ]
    })
    const summaries = all.map(({ id, version, title, verified }) => ({ id, version, title, verified }))
    const head = [S.scaleHead, S.versionHead, M.titleHead, S.itemsHead, S.verifiedHead]
    return printOutput(
      textTable(
        head.map((text) => say(text)),
        rows,
      ),
      json && summaries,
    )
  }
  const found = catalog.scales.get(name)
  if (found === undefined) throw unknownName('scale', name, catalog.scales.keys())
  const scale = said(found)
  // The file, and what follows from it: every field with what it may hold.
  const fields = scaleParts(scale).map(({ name: part, role, domain }) => {
    return { name: `${scale.id}_${part}`, role, ...describeDomain(domain) }
  })
  return printOutput(scalePage(catalog, scale, words), json && { ...scale, fields })
})

function refuseSeveral(others: readonly string[]): void {
  if (others.length > 0) throw new UsageError('One name at a time.')
}

function stateOf({ digest, released, selfCheckFailures }: CatalogModel): object {
  return { digest: `sha-256=:${digest}:`, released, ready: selfCheckFailures.length === 0 }
}
