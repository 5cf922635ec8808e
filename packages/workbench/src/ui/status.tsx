/** Loading, empty and failed states. Each says what is going on and what to do. */
import type { ComponentChildren, VNode } from 'preact'
import type { ApiFailure } from '../api.ts'
import { lookUp } from '../i18n/translate.ts'
import { useWords } from '../i18n/words.ts'
import { Button } from './button.tsx'
import { ServiceText } from './service-text.tsx'

export function Loading({ text }: { readonly text: string }): VNode {
  return (
    <p class="status" role="status">
      <span class="spinner" aria-hidden="true" />
      {text}
    </p>
  )
}

export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  )
}

/** The detail of the service for an address that it does not have. */
const NOTHING_THERE = 'There is nothing at this address.'

export function Failure(props: { readonly failure: ApiFailure; readonly onAgain?: () => void }): VNode {
  const { t, language } = useWords()
  const { failure, onAgain } = props
  // The page asks for a deployment by its address only: where there is nothing, the deployment is gone.
  const isGone = failure.code === 'NOT_FOUND' && failure.detail === NOTHING_THERE
  const hint = isGone
    ? t('failure.gone')
    : (lookUp(language, `failure.${failure.code}`) ?? t('failure.other'))
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{hint}</strong>
      </p>
      {failure.detail !== '' && !isGone && (
        <p class="original">
          <ServiceText text={failure.detail} />
        </p>
      )}
      {failure.requestId !== '' && (
        <p class="quiet">
          {t('failure.request')} <code>{failure.requestId}</code>
        </p>
      )}
      {onAgain !== undefined && <Button onClick={onAgain} text={t('again')} />}
    </div>
  )
}
