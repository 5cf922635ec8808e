/** Sign-in with an API key. The key is kept in memory, or in this tab on request. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ApiFailure } from './api.ts'
import { noteLost } from './connection.ts'
import { FirstSight } from './first-sight.tsx'
import { useWords } from './i18n/words.ts'
import { lock, signIn, signOut } from './session.ts'
import { useShared } from './state.ts'
import { Button } from './ui/button.tsx'
import { Check } from './ui/choice.tsx'
import { confirmFirst } from './ui/confirm.tsx'
import { Failure } from './ui/status.tsx'

export function SignIn(): VNode {
  const { t } = useWords()
  const locked = useShared(lock)
  const [key, setKey] = useState('')
  const [isKept, setKept] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [isTried, setTried] = useState(false)
  const isEmpty = isTried && key.trim() === ''
  const [failure, setFailure] = useState<ApiFailure | undefined>(undefined)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (key.trim() === '') return
    setBusy(true)
    setFailure(undefined)
    try {
      await signIn(key.trim(), isKept)
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      if (error.status === 0) noteLost()
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <div class={locked === undefined ? 'entrance' : undefined}>
      <div class="sign-in card">
        <h1 tabIndex={-1}>{t(locked?.key === undefined ? 'signIn.title' : 'lock.title')}</h1>
        {locked === undefined && <p class="lead">{t('signIn.lead')}</p>}
        {locked !== undefined && failure === undefined && (
          <div class="notice warn" role="alert">
            <p>{t(`signIn.${locked.reason}`)}</p>
            {locked.key !== undefined && <p>{t('lock.kept')}</p>}
          </div>
        )}
        <form onSubmit={(event) => void submit(event)}>
          <label for="key">{t('signIn.key')}</label>
          <input
            id="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={key}
            placeholder="prk_…"
            aria-describedby={isEmpty ? 'key-missing key-hint' : 'key-hint'}
            aria-invalid={isEmpty || failure?.status === 401 ? 'true' : undefined}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
          {isEmpty && (
            <p class="problem" id="key-missing" role="alert">
              {t('signIn.empty')}
            </p>
          )}
          <p class="hint" id="key-hint">
            {t('signIn.hint')}
          </p>
          <Check label={t('signIn.keep')} isOn={isKept} onChange={setKept} />
          {failure !== undefined && <Failure failure={failure} />}
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? t('signIn.busy') : t('signIn.go')}
          </button>
        </form>
        {locked?.key !== undefined && <Button class="danger" onClick={forget} text={t('lock.forget')} />}
        <p class="quiet">
          {t('signIn.privacy')} <a href="/docs">{t('signIn.docs')}</a>
        </p>
      </div>
      {locked === undefined && <FirstSight />}
    </div>
  )
}

function forget(): void {
  confirmFirst({ title: 'lock.forget', text: 'lock.forgetText', go: 'lock.forget', onGo: signOut })
}
