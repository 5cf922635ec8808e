/** Which rows of the table are shown, and in which order. */
import type { VNode } from 'preact'
import { useWords, type Words } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Choice } from '../../ui/choice.tsx'
import { ROW_STATES } from '../history/marks.ts'
import { list } from '../list-state.ts'
import type { Quality } from '../summary/quality.ts'
import { CheckChoice } from './check-choice.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { NO_FILTER, type Filter } from './filter-rows.ts'
import { OrderChoice } from './order-choice.tsx'

export interface FilterBarProps {
  readonly catalogue: FieldCatalogue
  readonly quality: Quality
  readonly rows: Uint32Array
  readonly isYesNo: boolean
  readonly threshold: number | undefined
}

export function FilterBar(props: FilterBarProps): VNode {
  const { catalogue, quality, isYesNo, threshold } = props
  const words = useWords()
  const { t } = words
  const { filter } = useShared(list)
  const set = (parts: Partial<Filter>): void => list.patch({ filter: { ...filter, ...parts } })
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
      <CheckChoice catalogue={catalogue} quality={quality} filter={filter} onFilter={set} />
      <Choice
        label={t('grid.state')}
        value={filter.state}
        options={[['all', t('filter.all')], ...ROW_STATES.map((each) => [each, t(`state.${each}`)] as const)]}
        onChoose={(state) => set({ state })}
      />
      <OrderChoice />
      <ColumnMenu catalogue={catalogue} />
      <p role="status" class="shown">
        {shownText(words, props)}
      </p>
      <button type="button" class="small" disabled={!isOn} onClick={() => list.patch({ filter: NO_FILTER })}>
        {t('filter.clear')}
      </button>
    </div>
  )
}

/** "28 of 121 rows". */
export function shownText(words: Words, { rows, quality }: Pick<FilterBarProps, 'rows' | 'quality'>): string {
  return words.t('filter.shown', {
    shown: words.number(rows.length),
    rows: words.count('rows', quality.rows),
  })
}
