/** A list: from a file, over the matching of columns and the scoring, to a table sorted by risk. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { useShared } from '../state.ts'
import { DropZone } from './drop-zone.tsx'
import { list } from './list-state.ts'
import { MatchView } from './match-view.tsx'
import { ProgressView } from './progress-view.tsx'
import { ResultsView } from './results-view.tsx'

export function ListView(props: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const { t } = useWords()
  const { stage } = useShared(list)
  return (
    <div class="list">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{t('list.title')}</h1>
          {stage !== 'results' && <p class="lead">{t('list.lead')}</p>}
        </div>
      </div>
      {(stage === 'empty' || stage === 'reading') && <DropZone catalogue={props.catalogue} />}
      {stage === 'matching' && <MatchView {...props} />}
      {stage === 'scoring' && <ProgressView />}
      {stage === 'results' && <ResultsView {...props} />}
    </div>
  )
}
