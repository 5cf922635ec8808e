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
      <label>
        <span>{t('filter.band')}</span>
        <select
          value={filter.band}
          onChange={(event) => set({ band: event.currentTarget.value as Filter['band'] })}
        >
          <option value="all">{t('filter.all')}</option>
          {threshold !== undefined && (
            <>
              <option value="high">
                {isYesNo ? t('result.yes') : t('filter.high', { threshold: words.percent(threshold) })}
              </option>
              <option value="low">
                {isYesNo ? t('result.no') : t('filter.low', { threshold: words.percent(threshold) })}
              </option>
            </>
          )}
          <option value="none">{t('filter.none')}</option>
        </select>
      </label>
      <label>
        <span>{t('filter.problems')}</span>
        <select
          value={filter.problems}
          onChange={(event) => set({ problems: event.currentTarget.value as Filter['problems'] })}
        >
          <option value="all">{t('filter.all')}</option>
          <option value="with">{t('filter.with')}</option>
          <option value="without">{t('filter.without')}</option>
        </select>
      </label>
      <label>
        <span>{t('filter.field')}</span>
        <select
          value={filter.field}
          onChange={(event) => set({ field: event.currentTarget.value, kind: '' })}
        >
          <option value="">{t('filter.all')}</option>
          {fields.map((name) => (
            <option key={name} value={name}>
              {subjectOf(language, catalogue, name).text}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('grid.state')}</span>
        <select
          value={filter.state}
          onChange={(event) => set({ state: event.currentTarget.value as Filter['state'] })}
        >
          <option value="all">{t('filter.all')}</option>
          {ROW_STATES.map((state) => (
            <option key={state} value={state}>
              {t(`state.${state}`)}
            </option>
          ))}
        </select>
      </label>
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
