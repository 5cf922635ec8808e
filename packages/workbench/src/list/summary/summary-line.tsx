/** The figures of a list in a line: how many rows, and how many there are of each kind that somebody may want to see. Each shows its rows. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { isYesNo, listThreshold, type ScoredBy } from '../list-state.ts'
import type { Filter } from '../table/filter-rows.ts'
import type { Quality } from './quality.ts'

export interface SummaryLineProps {
  readonly quality: Quality
  readonly scoredBy: ScoredBy
  readonly filter: Filter
  readonly onFilter: (parts: Partial<Filter>) => void
}

const CHECKS = ['problems', 'missing', 'notices', 'doubts', 'duplicates'] as const

export function SummaryLine({ quality, scoredBy, filter, onFilter }: SummaryLineProps): VNode {
  const words = useWords()
  const { t, number } = words
  const isHigh = filter.band === 'high'
  const high = isYesNo(scoredBy) ? t('result.yes') : t('list.high')
  return (
    <div class="summary-line" role="group" aria-label={t('work.figures')}>
      <p class="figure-box">
        <span>{t('list.rows')}</span> <strong>{number(quality.rows)}</strong>
      </p>
      <p class="figure-box">
        <span>{t('list.scored')}</span> <strong>{number(quality.scored)}</strong>
      </p>
      {listThreshold(scoredBy) !== undefined && (
        <Figure
          kind="high"
          name={high}
          value={quality.high}
          isOn={isHigh}
          onPress={() => onFilter({ band: isHigh ? 'all' : 'high' })}
        />
      )}
      {CHECKS.filter((check) => check === 'problems' || quality.checks[check] > 0).map((check) => (
        <Figure
          key={check}
          kind={check === 'problems' ? 'bad' : 'warn'}
          name={t(`check.${check}`)}
          value={quality.checks[check]}
          isOn={filter.check === check}
          onPress={() => onFilter({ check: filter.check === check ? '' : check })}
        />
      ))}
    </div>
  )
}

function Figure(props: {
  readonly kind: 'high' | 'bad' | 'warn'
  readonly name: string
  readonly value: number
  readonly isOn: boolean
  readonly onPress: () => void
}): VNode {
  const { kind, name, value, isOn, onPress } = props
  const { number } = useWords()
  return (
    <button
      type="button"
      class={`figure-box ${value === 0 ? '' : kind}`}
      aria-pressed={isOn}
      disabled={value === 0 && !isOn}
      onClick={onPress}
    >
      <span>{name}</span> <strong>{number(value)}</strong>
    </button>
  )
}
