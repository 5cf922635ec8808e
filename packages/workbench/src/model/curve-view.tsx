/** A smooth effect as a curve: a factor on the odds, or points. */
import type { VNode } from 'preact'
import { effectName } from '../i18n/field-names.ts'
import { useWords } from '../i18n/words.ts'
import type { Loaded } from '../session.ts'
import { axisOf } from '../ui/plot.tsx'
import { Chart } from './chart.tsx'
import { ModelUnit } from './model-unit.tsx'
import { drawnRange, inModelUnit, isOddsModel, pointsAt, type Curve } from './effect.ts'

const STEPS = 60

export function CurveView({ curve, model, catalogue }: Loaded & { readonly curve: Curve }): VNode {
  const words = useWords()
  const { t } = words
  const label = effectName(words.language, catalogue, curve.label, curve.field)
  const received = model.inputs.find(({ name }) => name === curve.field)
  const field = inModelUnit(received)
  const [from, to] = drawnRange(field, curve)
  const isOdds = isOddsModel(model)
  const reference = pointsAt(curve, from)
  // Odds are shown against the lowest reading, points as they are added.
  const effect = (reading: number): number =>
    isOdds ? Math.exp(pointsAt(curve, reading) - reference) : pointsAt(curve, reading)
  const points = Array.from({ length: STEPS + 1 }, (_each, index): readonly [number, number] => {
    const reading = from + ((to - from) * index) / STEPS
    return [reading, effect(reading)]
  })
  const values = points.map(([, value]) => value)
  const y = [Math.min(isOdds ? 1 : 0, ...values), Math.max(...values, isOdds ? 1.2 : 1)] as const
  const isCut = field?.maximum !== undefined && to < field.maximum
  return (
    <figure class="effect">
      <figcaption>
        <h3 lang={label.lang}>{label.text}</h3>
        <p class="quiet">
          {isOdds ? t('effect.odds', { from: words.number(from) }) : t('effect.points')}
          {isCut && ` ${t('effect.cut', { to: words.number(field.maximum ?? 0) })}`}
        </p>
        <ModelUnit field={received} />
      </figcaption>
      <Chart
        label={t('effect.label', {
          name: label.text,
          from: words.number(from),
          to: words.number(to),
          low: words.number(effect(from), 2),
          high: words.number(effect(to), 2),
        })}
        kind="line"
        x={axisOf([from, to], 6, words.serviceText(field?.unit ?? ''), (value) => words.number(value))}
        y={axisOf(y, 4, t(isOdds ? 'effect.factor' : 'why.points'), (value) =>
          isOdds ? `× ${words.number(value, 2)}` : words.number(value, 2),
        )}
        points={points}
      />
    </figure>
  )
}
