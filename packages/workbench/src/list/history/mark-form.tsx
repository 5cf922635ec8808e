/** State and note of a row, in its dialog; and the same state for all rows that are shown. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Menu } from '../../ui/menu.tsx'
import { list } from '../list-state.ts'
import { change } from './history.ts'
import { LONGEST_NOTE, markOf, ROW_STATES } from './marks.ts'

export function MarkForm({ row }: { readonly row: number }): VNode {
  const { t } = useWords()
  const { state, note } = markOf(useShared(list).marks, row)
  return (
    <div class="mark-form">
      <Choice
        label={t('grid.state')}
        value={state}
        options={ROW_STATES.map((each) => [each, t(`state.${each}`)])}
        onChoose={(each) => change([row], 'state', each)}
      />
      <label>
        <span>{t('mark.note')}</span>
        <input
          value={note}
          maxLength={LONGEST_NOTE}
          autocomplete="off"
          onChange={(event) => change([row], 'note', event.currentTarget.value)}
        />
      </label>
    </div>
  )
}

export function MarkMenu({ rows }: { readonly rows: Uint32Array }): VNode {
  const words = useWords()
  const { t } = words
  return (
    <Menu label={t('mark.menu')}>
      <p class="quiet">{t('mark.shown', { rows: words.count('rows', rows.length) })}</p>
      {ROW_STATES.map((state) => (
        <Button
          key={state}
          disabled={rows.length === 0}
          onClick={() => change([...rows], 'state', state)}
          text={t(`state.${state}`)}
        />
      ))}
    </Menu>
  )
}
