/** What if: the real result is kept, other values are tried, and the difference is shown. */
import type { FunctionComponent, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { decimalsOfDifference, useWords } from '../../i18n/words.ts'
import type { Loaded } from '../../session.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { OnDemand } from '../../ui/on-demand.tsx'
import { changesOf } from './as-text.ts'
import { endWhatIf, startWhatIf } from '../change-patient.ts'
import { patient } from '../patient-state.ts'

export function WhatIf({ catalogue }: { readonly catalogue: FieldCatalogue }): VNode {
  const words = useWords()
  const { t, risk, number } = words
  const { baseline, result, typed, units, status } = useShared(patient)
  const real = baseline?.result.explanation?.probability
  if (baseline === undefined || real === undefined) {
    return (
      <div class="whatif">
        <Button
          class="small"
          disabled={status !== 'answered'}
          onClick={startWhatIf}
          text={t('whatif.start')}
        />
      </div>
    )
  }
  const tried = status === 'answered' ? result?.explanation?.probability : undefined
  const points = tried === undefined ? 0 : (tried - real) * 100
  const decimals = tried === undefined ? 1 : decimalsOfDifference(real, tried)
  const minus = points < 0 ? '−' : '±'
  const sign = points > 0 ? '+' : minus
  return (
    <div class="whatif on" role="status">
      <p>
        <strong>{t('whatif.notReal')}</strong>
      </p>
      <p>{t('whatif.noEffect')}</p>
      <p>
        {tried === undefined
          ? `${t('whatif.real')}: ${risk(real)}`
          : t('whatif.compare', { before: risk(real, 0, decimals), now: risk(tried, 0, decimals) })}{' '}
        {tried !== undefined && (
          <strong>{`${sign}${number(Math.abs(points), decimals)} ${t('whatif.points')}`}</strong>
        )}
      </p>
      <ul class="changes">
        {changesOf(words, catalogue, baseline, { typed, units }).map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      <Button class="small" onClick={endWhatIf} text={t('whatif.back')} />
    </div>
  )
}

/** The risk over one value. It is drawn, and its code loaded, when it is opened. */
export function CurveSection(props: Loaded): VNode {
  const { t } = useWords()
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="risk-curve" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('curve.title')}</summary>
      {isOpen && <OnDemand load={loadCurve} draw={(RiskCurve) => <RiskCurve {...props} />} />}
    </details>
  )
}

const loadCurve = async (): Promise<FunctionComponent<Loaded>> => (await import('./risk-curve.tsx')).RiskCurve
