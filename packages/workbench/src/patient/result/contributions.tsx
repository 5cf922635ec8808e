/** What contributed how much: a bar to the right raises the risk, a bar to the left lowers it. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { Loaded } from '../../session.ts'
import type { Explanation } from '../../shapes/answers.ts'
import { comparisonTexts, contributionText, contributionsOf, usedText } from './as-text.ts'

const HALF = 50

export function Contributions(props: Loaded & { readonly explanation: Explanation }): VNode {
  const { model, catalogue, explanation } = props
  const words = useWords()
  const { t } = words
  const all = contributionsOf(words, catalogue, explanation)
  const largest = Math.max(...all.map(({ points }) => Math.abs(points)), 1e-9)
  const hasNegative = all.some(({ points }) => points < 0)
  // Points that only add start at the left edge, so that the bars have the whole width.
  const zero = hasNegative ? HALF : 0
  const room = hasNegative ? HALF : 100
  return (
    <>
      <table class="contributions">
        <caption class="visually-hidden">{t('result.why')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('why.reason')}</th>
            {hasNegative ? (
              <th scope="col" class="bar-cell">
                {t('why.direction')}
              </th>
            ) : (
              <td class="bar-cell" />
            )}
            <th scope="col" class="figure">
              {t(explanation.intercept === undefined ? 'why.points' : 'why.odds')}
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ label, points, values }, index) => {
            const width = (Math.abs(points) / largest) * room
            return (
              <tr key={index}>
                <th scope="row">
                  <span lang={label.lang}>{label.text}</span>
                  <span class="used">
                    {values.map((each) => usedText(words, catalogue, each)).join(', ')}
                    {values.some(({ origin }) => origin === 'computed') && ` · ${t('why.computed')}`}
                    {values.some(({ origin, value }) => origin === 'assumed' && value !== null) &&
                      ` · ${t('why.assumed')}`}
                  </span>
                </th>
                <td class="bar-cell">
                  <svg class="bar" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="bar-track" x="0" y="5" width="100" height="2" />
                    <rect
                      class={points < 0 ? 'lowers' : 'raises'}
                      x={points < 0 ? zero - width : zero}
                      y="0"
                      width={Math.max(width, points === 0 ? 0 : 0.8)}
                      height="12"
                    />
                    {hasNegative && <rect class="zero" x={zero - 0.25} y="0" width="0.5" height="12" />}
                  </svg>
                </td>
                <td class="figure">{contributionText(words, explanation, points)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {comparisonTexts(words, model, catalogue, explanation).map((text) => (
        <p key={text} class="quiet against">
          {text}
        </p>
      ))}
    </>
  )
}
