/** The points of a points model, and the row of its published table that they fall in. */
import type { Words } from '../../i18n/words.ts'
import type { Explanation } from '../../shapes/answers.ts'
import type { Model } from '../../shapes/model.ts'

/** Undefined for a model whose score has no meaning of its own (a logistic one). */
export function scoreText(words: Words, { link }: Model, { score }: Explanation): string | undefined {
  const original = link.kind === 'recalibrated' ? link.of : link
  const points = words.count('points', score)
  switch (original.kind) {
    case 'logistic':
    case 'identity':
      return undefined
    case 'survival':
      return points
    case 'scoreTable': {
      const risk = original.risks[score - original.from]
      if (risk === undefined) return points
      return `${points} · ${words.t('score.row', { range: words.number(score), risk: words.percent(risk) })}`
    }
    case 'strata': {
      const group = original.strata.find(({ from, to }) => score >= from && score <= to)
      if (group === undefined) return points
      const range =
        group.from === group.to
          ? words.number(group.from)
          : words.t('range', { from: words.number(group.from), to: words.number(group.to) })
      const risk = words.percent(group.risk)
      const counted =
        group.events === undefined || group.of === undefined
          ? ''
          : ` ${words.t('score.events', { events: words.number(group.events), of: words.number(group.of) })}`
      return `${points} · ${words.t('score.row', { range, risk })}${counted}`
    }
  }
}
