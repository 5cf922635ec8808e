/** Watches what the files of a run send, so that a column that means something else is named in the summary. */
import { FileFeed, type FileFeedState } from '@patient-risk/monitor'
import type { ScoreRun } from './run.ts'

export function openFileFeed(
  { catalog, deployment }: Pick<ScoreRun, 'catalog' | 'deployment'>,
  from?: FileFeedState,
): FileFeed {
  const { conversions, codes } = deployment.scorerOptions
  const { definitions } = catalog
  return new FileFeed({ definitions, model: deployment.model.definition, conversions, codes }, from)
}
