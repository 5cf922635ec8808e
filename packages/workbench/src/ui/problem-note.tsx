/** A problem beside the thing it concerns: a plain sentence, and the wording of the interface as a detail. */
import type { VNode } from 'preact'
import type { Label } from '../i18n/phrases.ts'
import { kindOf } from '../i18n/problem-kind.ts'
import { describeProblem, wordingOf } from '../i18n/problem-words.ts'
import { useWords } from '../i18n/words.ts'
import type { ErrorItem } from '../shapes/answers.ts'
import type { Field } from '../shapes/fields.ts'
import { Icon } from './icon.tsx'

export function ProblemNote(props: {
  readonly item: ErrorItem
  readonly field: Field | undefined
  readonly id?: string
  /** What it concerns, if it is not shown next to it. */
  readonly subject?: Label
}): VNode {
  const words = useWords()
  const { item, field, id, subject } = props
  const isMissing = kindOf(item) === 'missing'
  return (
    <div class={isMissing ? 'problem missing' : 'problem'} id={id}>
      <Icon name={isMissing ? 'info' : 'alert'} />
      <div>
        <p>
          {subject !== undefined && <strong lang={subject.lang}>{`${subject.text}: `}</strong>}
          {describeProblem(words, item, field)}
        </p>
        <details class="wording">
          <summary>{words.t('problem.wording')}</summary>
          <p class="original" lang="en">
            {wordingOf(item)}
          </p>
        </details>
      </div>
    </div>
  )
}
