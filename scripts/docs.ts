/** `npm run docs`: the pages of all scales and models, made from their files. */
import { join } from 'node:path'
import { loadCatalog } from '../src/catalog/load.ts'
import { modelIndex, scaleIndex } from '../src/catalog/pages/index-page.ts'
import { modelPage } from '../src/catalog/pages/model-page.ts'
import { scalePage } from '../src/catalog/pages/scale-page.ts'
import { faultLine } from '../src/definition/fault.ts'
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

if (import.meta.main) writeGenerated(pageFiles(), PAGE_FOLDERS)
