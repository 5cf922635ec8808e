/** `npm run docs`: the pages of all scales and models, made from their files. */
import { join } from 'node:path'
import { loadCatalog, type Catalog } from '@patient-risk/catalog'
import { page, table, horizon, modelPage, scalePage } from '@patient-risk/catalog/pages'
import { faultLine } from 'patient-risk-engine/definition'
import { type Generated, writeGenerated } from './generated.ts'

export const PAGE_FOLDERS = ['docs/models', 'docs/scales']

export function pageFiles(): Generated {
  const { catalog, faults } = loadCatalog(['clinical'])
  if (catalog === undefined) throw new Error(faults.map(faultLine).join('\n'))
  const files = new Map([
    [join('docs/models', 'README.md'), modelIndex(catalog)],
    [join('docs/scales', 'README.md'), scaleIndex(catalog)],
  ])
  for (const model of catalog.models.values()) {
    files.set(join('docs/models', `${model.definition.id}.md`), modelPage(catalog, model))
  }
  for (const scale of catalog.scales.values()) {
    files.set(join('docs/scales', `${scale.id}.md`), scalePage(catalog, scale))
  }
  return files
}

function originOf({ published }: { readonly published: boolean }): string {
  return published ? 'published' : 'ours'
}

function modelIndex(catalog: Catalog): string {
  return page([
    '# Models',
    'Made from the files under `clinical/models/`. `patient-risk models NAME` prints the same page, also for a model of your own.',
    table(
      ['Model', 'Version', 'Outcome', 'Horizon', 'Yes/no line'],
      [...catalog.models.values()].map(({ definition: { id, version, title, card, threshold } }) => [
        `[${title}](${id}.md)`,
        version,
        card.outcome,
        horizon(card.horizonDays),
        threshold === undefined ? 'none' : originOf(threshold),
      ]),
    ),
  ])
}

function scaleIndex(catalog: Catalog): string {
  return page([
    '# Scales',
    'Made from the files under `clinical/scales/`. `patient-risk scales NAME` prints the same page, also for a scale of your own.',
    table(
      ['Scale', 'Fields start with', 'Purpose', 'Items that ask for action', 'Verified'],
      [...catalog.scales.values()].map(({ id, title, purpose, verified, redFlags = [] }) => [
        `[${title}](${id}.md)`,
        `\`${id}_\``,
        purpose,
        redFlags.flatMap(({ items }) => items.map((item) => `\`${id}_${item}\``)).join(', ') || 'none',
        verified ? 'yes' : '**no**',
      ]),
    ),
  ])
}

if (import.meta.main) writeGenerated(pageFiles(), PAGE_FOLDERS)
