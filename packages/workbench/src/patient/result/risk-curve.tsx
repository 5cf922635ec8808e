/** What if, as a curve: one input over its values, with the value of now, the data of the model and the threshold. */
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { isAborted, type ApiFailure } from '../../api.ts'
import { hasDecimalComma } from '../../i18n/language.ts'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import { Chart } from '../../model/chart.tsx'
import type { Loaded } from '../../session.ts'
import type { Field } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Choice } from '../../ui/choice.tsx'
import { axisOf, percentAxis, type Point } from '../../ui/plot.tsx'
import { Failure } from '../../ui/status.tsx'
import { Table, tableRow } from '../../ui/table.tsx'
import { toFailure } from '../../use-answer.ts'
import { setManyTyped, startWhatIf } from '../change-patient.ts'
import { patient } from '../patient-state.ts'
import { askCurve, coveredBy, isDrawable, ownPatient, planCurve, typedNumber } from './ask-curve.ts'

export function RiskCurve(props: Loaded): VNode {
  const { model, catalogue } = props
  const { t, language } = useWords()
  const inputs = model.inputs.filter(isDrawable)
  const [name, setName] = useState('')
  const own = inputs.find((each) => each.name === name) ?? inputs[0]
  if (own === undefined) return <p class="quiet">{t('curve.noInput')}</p>
  return (
    <>
      <Choice
        class="curve-input"
        label={t('curve.input')}
        value={own.name}
        options={inputs.map((each) => [each.name, subjectOf(language, catalogue, each.name).text])}
        onChoose={setName}
      />
      <Curve key={own.name} {...props} own={own} />
    </>
  )
}

function Curve({ model, catalogue, own }: Loaded & { readonly own: Field }): VNode {
  const words = useWords()
  const { t, number, risk } = words
  const state = useShared(patient)
  const [isWhole, setWhole] = useState(false)
  const [drawn, setDrawn] = useState<{ readonly points: readonly Point[]; readonly of: string } | undefined>()
  const [failure, setFailure] = useState<ApiFailure | undefined>(undefined)
  const [picked, setPicked] = useState<number | undefined>(undefined)
  const isAnswered = state.status === 'answered'
  // A curve belongs to the answer for whose values it was asked; until it is there, the former one is marked.
  const asked = `${state.answeredAt} ${isWhole}`
  const isCurrent = isAnswered && drawn?.of === asked
  const tried = state.baseline === undefined ? undefined : typedNumber(own, state)
  const real = useMemo(() => ownPatient(state), [state])
  const plan = useMemo(() => planCurve(model, own, real, isWhole, tried), [model, own, isWhole, real, tried])
  useEffect(() => {
    if (!isAnswered) return
    const controller = new AbortController()
    askCurve(model, catalogue, own, plan, real, controller.signal)
      .then((points) => {
        setDrawn({ points, of: asked })
        setFailure(undefined)
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) setFailure(toFailure(error))
      })
    return () => controller.abort()
  }, [isAnswered, asked])
  if (failure !== undefined) return <Failure failure={failure} />
  if (drawn === undefined) return <p class="quiet">{t('app.loading')}</p>
  const { points } = drawn
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined) return <p class="quiet">{t('curve.none')}</p>
  const { now, data, usual, beyond } = plan
  const label = subjectOf(words.language, catalogue, own.name).text
  const unit = words.serviceText(plan.field.unit ?? '')
  const threshold = model.deployment.threshold ?? model.threshold?.risk
  const top = Math.min(1, Math.max(...points.map(([, each]) => each), threshold ?? 0) * 1.15)
  const nowAt = points.find(([value]) => value === now)
  const at = points.find(([value]) => value === (picked ?? tried ?? now)) ?? first
  const [value, riskThere] = at
  const said = t('curve.at', { name: label, value: `${number(value)} ${unit}`.trim(), risk: risk(riskThere) })
  const tryIt = (): void => {
    const text = hasDecimalComma(words.language) ? String(value).replace('.', ',') : String(value)
    if (state.baseline === undefined) startWhatIf()
    const cleared = Object.fromEntries(coveredBy(own, catalogue).map((each) => [each, '']))
    setManyTyped({ ...cleared, [own.name]: text })
  }
  return (
    <div class={isCurrent ? 'curve-body' : 'curve-body stale'}>
      <Chart
        label={t('curve.label', {
          name: label,
          from: number(first[0]),
          to: number(last[0]),
          low: risk(first[1]),
          high: risk(last[1]),
        })}
        kind="line"
        x={axisOf([first[0], last[0]], 6, unit === '' ? label : unit, (each) => number(each))}
        y={percentAxis(words, [0, top], 4, t('result.risk'))}
        points={points}
        bands={[data, usual].filter((band) => band !== undefined)}
        marks={[
          ...(nowAt === undefined ? [] : [{ at: nowAt, kind: 'now', text: t('curve.now') } as const]),
          ...(value === now ? [] : [{ at, kind: 'tried' } as const]),
        ]}
        threshold={
          threshold === undefined
            ? undefined
            : { y: threshold, text: t('gauge.threshold', { threshold: words.percent(threshold) }) }
        }
      />
      <input
        type="range"
        min={0}
        max={points.length - 1}
        value={points.indexOf(at)}
        aria-label={t('curve.slider', { name: label })}
        aria-valuetext={said}
        onInput={(event) => setPicked(points[Number(event.currentTarget.value)]?.[0])}
      />
      <p class="curve-said">
        <strong>{said}</strong>
        <Button
          class="small"
          disabled={!isCurrent || value === (tried ?? now)}
          onClick={tryIt}
          text={t('curve.try')}
        />
      </p>
      <p class="quiet">
        {data === undefined
          ? t('curve.noData')
          : t('curve.data', { from: number(data[0]), to: number(data[1]) })}
        {usual !== undefined && ` ${t('curve.usual', { from: number(usual[0]), to: number(usual[1]) })}`}
      </p>
      <p class="quiet">{t('curve.noEffect')}</p>
      {beyond !== undefined && (
        <Check label={t('curve.whole', { to: number(beyond) })} isOn={isWhole} onChange={setWhole} />
      )}
      <details>
        <summary>{t('curve.table')}</summary>
        <Table
          caption={t('curve.table')}
          columns={[unit === '' ? label : `${label} (${unit})`, t('result.risk')]}
          rows={points.map(([each, there]) => tableRow(number(each), risk(there)))}
        />
      </details>
    </div>
  )
}
