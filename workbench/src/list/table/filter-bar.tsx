/** Which rows of the table are shown. */
import type { VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Menu } from '../../ui/menu.tsx'
import { MarkMenu } from '../history/mark-form.tsx'
import { ROW_STATES } from '../history/marks.ts'
import { list } from '../list-state.ts'
import { NO_FILTER, type Filter } from './order-rows.ts'
import type { Quality } from '../summary/quality.ts'
import { NOT_USED } from '../match/match-columns.ts'

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
  return (
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
      <ColumnMenu />
      <MarkMenu rows={rows} />
      <p role="status" class="shown">
        {t('filter.shown', { shown: words.number(rows.length), rows: words.count('rows', quality.rows) })}
      </p>
      <button type="button" class="small" disabled={!isOn} onClick={() => list.patch({ filter: NO_FILTER })}>
        {t('filter.clear')}
      </button>
    </div>
  )
}

function Choice<V extends string>(props: {
  readonly label: string
  readonly value: V
  readonly options: readonly (readonly [V, string])[]
  readonly onChoose: (value: V) => void
}): VNode {
  return (
    <label>
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChoose(event.currentTarget.value as V)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Columns of the file that were not sent, such as a name or a ward, can be shown too. */
function ColumnMenu(): VNode {
  const { t } = useWords()
  const { sheet, matches, extraColumns } = useShared(list)
  const others = (sheet?.columns ?? []).flatMap((name, column) =>
    (matches[column] ?? NOT_USED) === NOT_USED ? [{ name, column }] : [],
  )
  if (others.length === 0) return <></>
  const toggle = (column: number): void => {
    const isShown = extraColumns.includes(column)
    list.patch({
      extraColumns: isShown ? extraColumns.filter((each) => each !== column) : [...extraColumns, column],
    })
  }
  return (
    <Menu label={t('filter.columns')}>
      {others.map(({ name, column }) => (
        <label key={column} class="check">
          <input type="checkbox" checked={extraColumns.includes(column)} onChange={() => toggle(column)} />
          <span>{name}</span>
        </label>
      ))}
    </Menu>
  )
}
