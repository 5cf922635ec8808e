/** What if: the result of now is kept, values are changed, and the difference is shown. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { useShared } from '../state.ts'
import { dropBaseline, keepBaseline, returnToBaseline } from './change-patient.ts'
import { patient } from './patient-state.ts'

export function WhatIf(): VNode {
  const { t, risk, number } = useWords()
  const { baseline, result } = useShared(patient)
  const before = baseline?.result.explanation?.probability
  const now = result?.explanation?.probability
  if (before === undefined || now === undefined) {
    return (
      <div class="whatif">
        <button type="button" class="small" onClick={keepBaseline}>
          {t('whatif.start')}
        </button>
      </div>
    )
  }
  const points = (now - before) * 100
  const sign = points > 0 ? '+' : points < 0 ? '−' : '±'
  return (
    <div class="whatif on" role="status">
      <p>
        {t('whatif.compare', { before: risk(before), now: risk(now) })}{' '}
        <strong>
          {sign}
          {number(Math.abs(points), 1)} {t('whatif.points')}
        </strong>
      </p>
      <button type="button" class="small" onClick={returnToBaseline}>
        {t('whatif.back')}
      </button>
      <button type="button" class="small" onClick={dropBaseline}>
        {t('whatif.end')}
      </button>
    </div>
  )
}
