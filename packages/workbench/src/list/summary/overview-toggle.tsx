/** Opens and closes the overview of a list: beside the table on a wide screen, above it elsewhere. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'

/** Where the table has all its columns beside it, the overview is open from the start. */
export function isOverviewFirst(): boolean {
  return window.matchMedia('(min-width: 1640px)').matches
}

export function OverviewToggle(props: { readonly isOpen: boolean; readonly onToggle: () => void }): VNode {
  return (
    <button
      type="button"
      class="small overview-toggle"
      aria-expanded={props.isOpen}
      aria-controls="overview"
      onClick={props.onToggle}
    >
      {useWords().t('list.overview')}
    </button>
  )
}
