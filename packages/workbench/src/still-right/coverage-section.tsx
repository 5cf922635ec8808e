/** Of how many patients the outcome is known, and what is not. */
import type { VNode } from 'preact'
import { useRightWords } from './still-right-words.ts'
import type { Performance } from './verdict-words.ts'

export function CoverageSection({ answer }: { readonly answer: Performance }): VNode {
  const { say, number, share, month } = useRightWords()
  const { scored, outcomes, coverage, unknown, diedFirst } = answer.coverage
  return (
    <section class="card" aria-labelledby="coverage-title">
      <h2 id="coverage-title">{say('right.coverage')}</h2>
      <p>
        {say('right.coverageText', {
          scored: number(scored),
          outcomes: number(outcomes),
          share: share(coverage),
          unknown: number(unknown),
          died: diedFirst === null ? say('right.fewDied') : number(diedFirst),
        })}
      </p>
      <p class="quiet">{say('right.until', { month: month(answer.until) })}</p>
    </section>
  )
}
