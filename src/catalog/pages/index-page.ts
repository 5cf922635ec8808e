/** The pages that lead to all scales and all models. */
import type { Catalog } from '../catalog.ts'
import { page, table } from './markdown.ts'
import { horizon } from './model-page.ts'

export function modelIndex(catalog: Catalog): string {
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
        threshold === undefined ? 'none' : threshold.published ? 'published' : 'ours',
      ]),
    ),
  ])
}

export function scaleIndex(catalog: Catalog): string {
  return page([
    '# Scales',
    'Made from the files under `clinical/scales/`. `patient-risk scales NAME` prints the same page, also for a scale of your own.',
    table(
      ['Scale', 'Fields start with', 'Purpose', 'Verified'],
      [...catalog.scales.values()].map(({ id, title, purpose, verified }) => [
        `[${title}](${id}.md)`,
        `\`${id}_\``,
        purpose,
        verified ? 'yes' : '**no**',
      ]),
    ),
  ])
}
