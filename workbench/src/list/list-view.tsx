/** A list: a file, the meaning of its columns, scoring, and a table sorted by risk. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { useShared } from '../state.ts'
import { DropZone } from './read/drop-zone.tsx'
import { list } from './list-state.ts'
import { MatchView } from './match/match-view.tsx'
import { ProgressView } from './score/progress-view.tsx'
import { ResultsView, type Chosen } from './results-view.tsx'

/** A scored list is shown whatever is chosen; everything else needs the chosen deployment. */
export function ListView({ chosen }: { readonly chosen: Chosen | undefined }): VNode {
  const { t } = useWords()
  const { stage } = useShared(list)
  return (
    <div class="list">
      {stage !== 'results' && (
        <div class="view-head">
          <div>
            <h1 tabIndex={-1}>{t('list.title')}</h1>
            <p class="lead">{t('list.lead')}</p>
          </div>
        </div>
      )}
      {(stage === 'empty' || stage === 'reading') && chosen !== undefined && (
        <DropZone catalogue={chosen.catalogue} />
      )}
      {stage === 'matching' && chosen !== undefined && <MatchView {...chosen} />}
      {stage === 'scoring' && <ProgressView />}
      {stage === 'results' && <ResultsView chosen={chosen} />}
    </div>
  )
}
