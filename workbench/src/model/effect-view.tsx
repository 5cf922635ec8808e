/** How each input counts: a curve where the effect is smooth, a table of points with bars where it comes in steps. */
import type { VNode } from 'preact'
import { fullLabelOf } from '../i18n/field-names.ts'
import { useWords } from '../i18n/words.ts'
import { signed } from '../patient/as-text.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model, Term } from '../shapes/model.ts'
import { Chart, ticks } from './chart.tsx'
import { bandText, curvesOf, drawnRange, isCurved, pointsAt, type Curve } from './effect.ts'

const STEPS = 60

export function EffectView(props: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const { model, catalogue } = props
  return (
    <div class="effects">
      {curvesOf(model.terms).map((curve) => (
        <CurveView key={curve.field} curve={curve} model={model} />
      ))}
      {model.terms.flatMap((term, index) =>
        isCurved(term)
          ? []
          : [<PointsView key={index} term={term} catalogue={catalogue} isOdds={isOddsModel(model)} />],
      )}
    </div>
  )
}

function CurveView({ curve, model }: { readonly curve: Curve; readonly model: Model }): VNode {
  const words = useWords()
  const { t } = words
  const field = model.inputs.find(({ name }) => name === curve.field)
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
        <h3 lang="en">{curve.label}</h3>
        <p class="quiet">
          {isOdds ? t('effect.odds', { from: words.number(from) }) : t('effect.points')}
          {isCut && ` ${t('effect.cut', { to: words.number(field.maximum ?? 0) })}`}
        </p>
      </figcaption>
      <Chart
        label={t('effect.label', {
          name: curve.label,
          from: words.number(from),
          to: words.number(to),
          low: words.number(effect(from), 2),
          high: words.number(effect(to), 2),
        })}
        kind="line"
        x={[from, to]}
        y={y}
        points={points}
        xTicks={ticks([from, to], 6)}
        yTicks={ticks(y, 4)}
        xTitle={field?.unit ?? ''}
        yTitle={t(isOdds ? 'effect.factor' : 'why.points')}
        xText={(value) => words.number(value)}
        yText={(value) => (isOdds ? `× ${words.number(value, 2)}` : words.number(value, 2))}
      />
    </figure>
  )
}

/** Where points are log odds, a reader is shown the factor that they make. */
function isOddsModel({ link }: Model): boolean {
  return link.kind === 'logistic' || (link.kind === 'recalibrated' && link.of.kind === 'logistic')
}

interface PointsRow {
  readonly name: string
  readonly points: number
}

function PointsView(props: {
  readonly term: Term
  readonly catalogue: FieldCatalogue
  readonly isOdds: boolean
}): VNode {
  const { term, catalogue, isOdds } = props
  const words = useWords()
  const { t, language } = words
  const rows = rowsOf(term, catalogue, words)
  const most = Math.max(...rows.map(({ points }) => Math.abs(points)), 1e-9)
  const names = fieldsOf(term).map((name) => {
    const field = catalogue.fields.find((each) => each.name === name)
    const scale = catalogue.scales.find(({ id }) => id === field?.scale)
    return field === undefined ? name : fullLabelOf(language, field, scale).text
  })
  return (
    <figure class="effect">
      <figcaption>
        <h3 lang="en">{term.label ?? names.join(', ')}</h3>
        {names.join() !== term.label && <p class="quiet">{names.join(' · ')}</p>}
      </figcaption>
      <table class="plain-table points">
        <thead>
          <tr>
            <th scope="col">{t('effect.value')}</th>
            <th scope="col" class="figure">
              {t(isOdds ? 'why.odds' : 'why.points')}
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, points }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="figure">
                {isOdds ? `× ${words.fixed(Math.exp(points), 2)}` : signed(words, points)}
              </td>
              <td class="bar-cell">
                <svg class="bar" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                  <rect
                    class={points < 0 ? 'lowers' : 'raises'}
                    x="0"
                    y="1"
                    width={(Math.abs(points) / most) * 100}
                    height="10"
                  />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function fieldsOf(term: Term): readonly string[] {
  return term.kind === 'count' ? Object.keys(term.below) : [term.field]
}

function rowsOf(
  term: Term,
  catalogue: FieldCatalogue,
  words: ReturnType<typeof useWords>,
): readonly PointsRow[] {
  const { t, number } = words
  switch (term.kind) {
    case 'banded':
    case 'count':
      return term.bands.map((band) => ({
        name: bandText(band, (from, to) => t('range', { from, to }), number),
        points: band.points,
      }))
    case 'category': {
      const meanings = catalogue.fields.find(({ name }) => name === term.field)?.valueMeanings
      return Object.entries(term.points).map(([code, points]) => {
        const meaning = meanings?.[code]
        return { name: meaning === undefined ? code : `${code} (${meaning})`, points }
      })
    }
    case 'flag':
      return [
        { name: t('result.yes'), points: term.points },
        { name: t('result.no'), points: 0 },
      ]
    case 'absent':
      return [{ name: t('effect.absent'), points: term.points }]
    default:
      return []
  }
}
