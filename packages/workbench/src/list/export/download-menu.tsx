/** Downloads: the rows on the screen in their order, all rows, or only those with problems. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { refreshAlarms } from '../../calibration-alarm.ts'
import { useWords } from '../../i18n/words.ts'
import { saveFile } from '../../save-file.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { changesFile } from './export-changes.ts'
import { exportCsv, exportXlsx, fileNameFor, type ExportKind } from './export-list.ts'
import { list } from '../list-state.ts'
import { SaveDialog } from '../saved/passphrase-form.tsx'
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
  const { sheet } = useShared(list)
  const [isSaving, setSaving] = useState(false)
  const [chosen, setChosen] = useState<'csv' | 'xlsx' | undefined>(undefined)
  const format = chosen ?? (sheet?.kind === 'xlsx' ? 'xlsx' : 'csv')
  const save = async (kind: ExportKind): Promise<void> => {
    // A file outlives the page: it says what is known now, also of a list that was scored earlier.
    await refreshAlarms()
    const state = list.get()
    if (state.sheet === undefined || state.scoredBy === undefined) return
    const name = `${fileNameFor(words, state.sheet, kind, state.scoredBy)}.${format}`
    if (format === 'xlsx') saveFile(name, await exportXlsx(words, state, kind, rows))
    else {
      saveFile(name, exportCsv(state, kind, rows), 'text/csv')
      if (state.history.log.length > 0) saveFile(...changesFile(words, state))
    }
    // What was changed while a large file was written is not in it.
    if (kind === 'all' && list.get().history === state.history) list.patch({ isUnsaved: false, isHeld: true })
  }
  return (
    <>
      <Menu
        isPrimary
        label={
          <>
            <Icon name="down" />
            {t('list.download')}
          </>
        }
      >
        <Choice
          class="format"
          label={t('list.format')}
          value={format}
          options={[
            ['xlsx', 'XLSX'],
            ['csv', 'CSV'],
          ]}
          onChoose={setChosen}
        />
        <Button
          disabled={rows.length === 0}
          onClick={() => void save('shown')}
          text={t('list.downloadShown', { rows: count('rows', rows.length) })}
        />
        <Button
          onClick={() => void save('all')}
          text={t('list.downloadAll', { rows: count('rows', quality.rows) })}
        />
        <Button
          disabled={quality.checks.problems === 0}
          onClick={() => void save('faulty')}
          text={t('list.downloadFaulty', { rows: count('rows', quality.checks.problems) })}
        />
        <Button onClick={() => setSaving(true)} text={t('saved.menu')} />
      </Menu>
      {isSaving && <SaveDialog onClose={() => setSaving(false)} />}
    </>
  )
}
