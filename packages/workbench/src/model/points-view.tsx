/** An effect in steps as a table of points with bars. */
import type { VNode } from 'preact'
import { subjectOf } from '../i18n/field-names.ts'
import { useWords } from '../i18n/words.ts'
import { signed } from '../patient/result/as-text.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Term, TreesTerm } from '../shapes/model.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { bandText, inModelUnit } from './effect.ts'
import { ModelUnit } from './model-unit.tsx'

export type PointsTerm = Exclude<Term, TreesTerm>

interface PointsRow {
  readonly name: string
  readonly points: number
}

export function PointsView(props: {
  readonly term: PointsTerm
  readonly catalogue: FieldCatalogue
  readonly isOdds: boolean
}): VNode {
  const { term, catalogue, isOdds } = props
  const words = useWords()
  const { t, language } = words
  const rows = rowsOf(term, catalogue, words)
  const most = Math.max(...rows.map(({ points }) => Math.abs(points)), 1e-9)
  const names = fieldsOf(term).map((name) => subjectOf(language, catalogue, name).text)
  const banded = catalogue.fields.find(({ name }) => term.kind === 'banded' && name === term.field)
  const unit = inModelUnit(banded)?.unit
  return (
    <figure class="effect">
      <figcaption>
        <h3>{term.label === undefined ? names.join(', ') : <ServiceText text={term.label} />}</h3>
        {names.join() !== words.serviceText(term.label ?? '') && <p class="quiet">{names.join(' · ')}</p>}
        {banded !== undefined && <ModelUnit field={banded} />}
      </figcaption>
      {term.kind === 'product' && (
        <p class="quiet">{t('effect.product', { coefficient: words.number(term.coefficient) })}</p>
      )}
      <table class="plain-table points" hidden={rows.length === 0}>
        <thead>
          <tr>
            <th scope="col">
              {t('effect.value')}
              {unit !== undefined && ` (${words.serviceText(unit)})`}
            </th>
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

function fieldsOf(term: PointsTerm): readonly string[] {
  if (term.kind === 'product') return [...new Set(term.factors.flatMap(fieldsOf))]
  return term.kind === 'count' ? Object.keys(term.below) : [term.field]
}

function rowsOf(
  term: PointsTerm,
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
        return { name: meaning === undefined ? code : `${code} (${words.serviceText(meaning)})`, points }
      })
    }
    case 'flag':
      return [
        { name: t('result.yes'), points: term.points },
        { name: t('result.no'), points: 0 },
      ]
    case 'absent':
      return [{ name: t('effect.absent'), points: term.points }]
    case 'product':
      return [
        {
          name: term.factors
            .map((factor) => {
              const fields = fieldsOf(factor).map((name) => subjectOf(words.language, catalogue, name).text)
              return factor.label === undefined ? fields.join(', ') : words.serviceText(factor.label)
            })
            .join(' × '),
          points: term.coefficient,
        },
      ]
    default:
      return []
  }
}
