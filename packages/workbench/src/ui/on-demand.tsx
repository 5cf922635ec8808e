/** A part of the page whose code or data is loaded when it is first shown. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { useAnswer } from '../use-answer.ts'
import { Failure, Loading } from './status.tsx'

export function OnDemand<V>(props: {
  readonly load: () => Promise<V>
  readonly draw: (view: V, again: () => void) => VNode
}): VNode {
  const { t } = useWords()
  const { answer, failure, again } = useAnswer(props.load)
  if (failure !== undefined) return <Failure failure={failure} onAgain={again} />
  return answer === undefined ? <Loading text={t('app.loading')} /> : props.draw(answer, again)
}
