/** How points become a risk, as the table or the curve that the paper prints. */
import type { LinkDefinition } from '../../definition/link.ts'
import { percent, table } from './markdown.ts'

/** A survival curve is shown for the scores that people have. */
const SHOWN_SCORES = [0, 1, 2, 3, 4, 5, 6, 7]

export function linkText(link: LinkDefinition): string {
  switch (link.kind) {
    case 'scoreTable':
      return table(
        ['Score', 'Risk'],
        link.risks.map((risk, index) => [String(link.from + index), percent(risk)]),
      )
    case 'strata':
      return strataTable(link.strata)
    case 'logistic':
      return `Risk = 1 / (1 + e^−(${link.intercept} + score)): a logistic curve, where ${link.intercept} is the intercept.`
    case 'survival':
      return [
        `Risk = 1 − ${link.baseline}^(e^(${link.rate} × score)).`,
        table(
          ['Score', 'Risk before rounding'],
          SHOWN_SCORES.map((score) => [
            String(score),
            percent(1 - Math.exp(Math.log(link.baseline) * Math.exp(link.rate * score))),
          ]),
        ),
      ].join('\n\n')
    case 'recalibrated':
      return [
        `Recalibrated: log odds of the risk = ${link.intercept} + ${link.slope} × the log odds of the original, which is:`,
        linkText(link.of),
      ].join('\n\n')
  }
}

type Strata = Extract<LinkDefinition, { kind: 'strata' }>['strata']

function strataTable(strata: Strata): string {
  const hasCounts = strata.some(({ of }) => of !== undefined)
  const hasLabels = strata.some(({ label }) => label !== undefined)
  const head = ['Score', 'Risk', ...(hasCounts ? ['Events'] : []), ...(hasLabels ? ['Group'] : [])]
  const rows = strata.map(({ from, to, risk, events, of, label }) => [
    from === to ? String(from) : `${from} to ${to}`,
    percent(risk),
    ...(hasCounts ? [of === undefined ? '' : `${events} of ${of}`] : []),
    ...(hasLabels ? [label ?? ''] : []),
  ])
  return table(head, rows)
}
