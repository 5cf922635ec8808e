/** Which rows of the table are shown. */
import type { VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Choice } from '../../ui/choice.tsx'
import { Menu } from '../../ui/menu.tsx'
import { ROW_STATES } from '../history/marks.ts'
import { list, type ColumnShape } from '../list-state.ts'
import { columnId, gridColumns, shapeOf } from './grid-columns.ts'
import { useNarrow } from './use-narrow.ts'
import { NO_FILTER, type Filter } from './order-rows.ts'
import type { Quality } from '../summary/quality.ts'

export interface FilterBarProps {
  readonly catalogue: FieldCatalogue
  readonly quality: Quality
  readonly rows: Uint32Array
  readonly isYesNo: boolean
  readonly threshold: number | undefined
}

export function FilterBar(props: FilterBarProps): VNode {
  const { catalogue, quality, rows, isYesNo, threshold } = props
  const words = useWords()
  const { t, language } = words
  const { filter } = useShared(list)
  const set = (parts: Partial<Filter>): void => list.patch({ filter: { ...filter, ...parts } })
  const fields = [...new Set(quality.entries.map(({ field }) => field))]
  const edge = words.percent(threshold ?? 1)
  const bands = [
    ['high', isYesNo ? t('result.yes') : t('filter.high', { threshold: edge })],
    ['low', isYesNo ? t('result.no') : t('filter.low', { threshold: edge })],
  ] as const
  const isOn = JSON.stringify(filter) !== JSON.stringify(NO_FILTER)
  const shown = t('filter.shown', {
    shown: words.number(rows.length),
    rows: words.count('rows', quality.rows),
  })
  const bar = (
    <div class="filters" role="group" aria-label={t('filter.label')}>
      <label>
        <span>{t('filter.search')}</span>
        <input
          type="search"
          value={filter.search}
          autocomplete="off"
          onInput={(event) => set({ search: event.currentTarget.value })}
        />
      </label>
      <Choice
        label={t('filter.band')}
        value={filter.band}
        options={[
          ['all', t('filter.all')],
          ...(threshold === undefined ? [] : bands),
          ['none', t('filter.none')],
        ]}
        onChoose={(band) => set({ band })}
      />
      <Choice
        label={t('filter.problems')}
        value={filter.problems}
        options={(['all', 'with', 'without'] as const).map((each) => [each, t(`filter.${each}`)])}
        onChoose={(problems) => set({ problems })}
      />
      <Choice
        label={t('filter.field')}
        value={filter.field}
        options={[
          ['', t('filter.all')],
          ...fields.map((name) => [name, subjectOf(language, catalogue, name).text] as const),
        ]}
        onChoose={(field) => set({ field, kind: '' })}
      />
      <Choice
        label={t('grid.state')}
        value={filter.state}
        options={[['all', t('filter.all')], ...ROW_STATES.map((each) => [each, t(`state.${each}`)] as const)]}
        onChoose={(state) => set({ state })}
      />
      <ColumnMenu catalogue={catalogue} />
      <p role="status" class="shown">
        {shown}
      </p>
      <button type="button" class="small" disabled={!isOn} onClick={() => list.patch({ filter: NO_FILTER })}>
        {t('filter.clear')}
      </button>
    </div>
  )
  if (!useNarrow()) return bar
  // On a narrow screen rows come first.
  return (
    <details class="filter-box">
      <summary>{`${t('filter.label')}: ${shown}`}</summary>
      {bar}
    </details>
  )
}

/** Every column but those that say whose row it is and its risk can be narrowed and hidden; columns that were not sent can be shown. */
function ColumnMenu({ catalogue }: { readonly catalogue: FieldCatalogue }): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  return (
    <Menu label={t('filter.columns')}>
      {gridColumns(state, catalogue, words)
        .filter(({ kind }) => kind !== 'identifier' && kind !== 'risk')
        .map((column) => (
          <Choice<ColumnShape>
            key={columnId(column)}
            label={column.label.text}
            value={shapeOf(state, column)}
            options={(['shown', 'narrow', 'hidden'] as const).map((each) => [each, t(`column.${each}`)])}
            onChoose={(shape) => list.patch({ shapes: { ...state.shapes, [columnId(column)]: shape } })}
          />
        ))}
    </Menu>
  )
}
