/** Downloads: the rows on the screen in their order, all rows, or only those with problems. */
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { saveFile } from '../../save-file.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { changesFile } from './export-changes.ts'
import { exportList, fileNameFor, type ExportKind } from './export-list.ts'
import { list } from '../list-state.ts'
import type { Quality } from '../summary/quality.ts'

export function DownloadMenu({
  rows,
  quality,
}: {
  readonly rows: Uint32Array
  readonly quality: Quality
}): VNode {
  const words = useWords()
  const { t, count } = words
  const menu = useRef<HTMLDetailsElement>(null)
  const save = (kind: ExportKind): void => {
    const state = list.get()
    if (state.sheet === undefined || state.scoredBy === undefined) return
    saveFile(fileNameFor(words, state.sheet, kind, state.scoredBy), exportList(state, kind, rows), 'text/csv')
    if (state.history.log.length > 0) saveFile(...changesFile(words, state))
    if (kind === 'all') list.patch({ isUnsaved: false })
    if (menu.current !== null) menu.current.open = false
  }
  return (
    <Menu
      isPrimary
      menu={menu}
      label={
        <>
          <Icon name="down" />
          {t('list.download')}
        </>
      }
    >
      <button type="button" disabled={rows.length === 0} onClick={() => save('shown')}>
        {t('list.downloadShown', { rows: count('rows', rows.length) })}
      </button>
      <button type="button" onClick={() => save('all')}>
        {t('list.downloadAll', { rows: count('rows', quality.rows) })}
      </button>
      <button type="button" disabled={quality.withProblems === 0} onClick={() => save('faulty')}>
        {t('list.downloadFaulty', { rows: count('rows', quality.withProblems) })}
      </button>
    </Menu>
  )
}
