/** What a reader of the answer should know: the notices of the service, and the range over what is missing. */
import type { VNode } from 'preact'
import { noticeText } from '../../i18n/notice-words.ts'
import { useWords } from '../../i18n/words.ts'
import type { Explained } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import { rangeTexts, thresholdOf } from './rests-on-words.ts'

export interface NoticesProps {
  readonly catalogue: FieldCatalogue
  readonly answer: Explained
}

export function Notices({ catalogue, answer }: NoticesProps): VNode {
  const words = useWords()
  if (answer.notices.length === 0) return <></>
  return (
    <ul class="notice warn notices" aria-label={words.t('result.notices')}>
      {answer.notices.map((notice) => {
        const { text, lang } = noticeText(words, catalogue, notice)
        return (
          <li key={`${notice.code} ${notice.field}`} lang={lang}>
            {text}
          </li>
        )
      })}
    </ul>
  )
}

export function RangeNote({ catalogue, answer, model }: NoticesProps & { readonly model: Model }): VNode {
  const words = useWords()
  const [first, usual] = rangeTexts(words, catalogue, answer, thresholdOf(model))
  if (first === undefined) return <></>
  return (
    <p class="range-note">
      <strong>{first}</strong>
      {usual !== undefined && <span class="quiet">{usual}</span>}
    </p>
  )
}
