/** What works on the whole table: its filters, and its changes. On a narrow screen rows come first, so it is closed there. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { HistoryTools } from '../history/history-tools.tsx'
import { FilterBar, shownText, type FilterBarProps } from './filter-bar.tsx'
import { useNarrow } from './use-narrow.ts'

export function ListTools(props: FilterBarProps): VNode {
  const words = useWords()
  const tools = (
    <>
      <FilterBar {...props} />
      <HistoryTools rows={props.rows} />
    </>
  )
  if (!useNarrow()) return tools
  return (
    <details class="filter-box">
      <summary>{`${words.t('filter.label')}: ${shownText(words, props)}`}</summary>
      {tools}
    </details>
  )
}
