/** The form for a new key: for whom, for which deployments, for how long. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiFailure } from '../api.ts'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { Button } from '../ui/button.tsx'
import { Check } from '../ui/choice.tsx'
import { Select } from '../ui/select.tsx'
import { Failure } from '../ui/status.tsx'
import { makeKey, type MadeKey } from './admin-calls.ts'

const LIFETIMES = ['', '30d', '90d', '365d'] as const
const REACHES = ['all', 'some', 'none'] as const

export function NewKeyForm(props: {
  /** Why the service did not make the key. The rules of names are its own. */
  readonly fault: ApiFailure | undefined
  readonly onMake: (name: string, make: () => Promise<MadeKey>) => void
  readonly onCancel: () => void
}): VNode {
  const { t } = useWords()
  const deployments = useShared(session)?.summary.deployments ?? []
  const [name, setName] = useState('')
  const [reach, setReach] = useState<(typeof REACHES)[number]>('all')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [isAdmin, setAdmin] = useState(false)
  const [hasOutcomes, setOutcomes] = useState(false)
  const [expires, setExpires] = useState<string>('90d')
  const [isTried, setTried] = useState(false)
  const isNameless = name.trim() === ''
  const isUnchosen = reach === 'some' && chosen.length === 0
  const toggle = (deployment: string): void =>
    setChosen(
      chosen.includes(deployment) ? chosen.filter((each) => each !== deployment) : [...chosen, deployment],
    )
  const submit = (event: Event): void => {
    event.preventDefault()
    setTried(true)
    if (isNameless || isUnchosen) return
    props.onMake(name.trim(), () =>
      makeKey({
        name: name.trim(),
        ...(reach === 'all' ? {} : { deployments: reach === 'some' ? chosen : [] }),
        ...(isAdmin ? { admin: true } : {}),
        ...(hasOutcomes ? { outcomes: true } : {}),
        ...(expires === '' ? {} : { expires }),
      }),
    )
  }
  return (
    <form class="new-key-form" onSubmit={submit} noValidate>
      <div class="line">
        <label for="key-name">{t('keys.for')}</label>
        <input
          id="key-name"
          type="text"
          value={name}
          autocomplete="off"
          aria-invalid={isTried && isNameless ? 'true' : undefined}
          aria-describedby={isTried && isNameless ? 'key-name-missing' : undefined}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        {isTried && isNameless && (
          <p class="problem" id="key-name-missing" role="alert">
            {t('keys.nameMissing')}
          </p>
        )}
      </div>
      <fieldset class="choice">
        <legend>{t('keys.mayUse')}</legend>
        {REACHES.map((each) => (
          <label key={each} class="check">
            <input type="radio" name="key-reach" checked={reach === each} onChange={() => setReach(each)} />
            <span>{t(`keys.reach.${each}`)}</span>
          </label>
        ))}
        {reach === 'some' && (
          <div class="nested">
            {deployments.map((deployment) => (
              <Check
                key={deployment.name}
                label={deployment.name}
                isOn={chosen.includes(deployment.name)}
                onChange={() => toggle(deployment.name)}
              />
            ))}
            {isTried && isUnchosen && (
              <p class="problem" role="alert">
                {t('keys.unchosen')}
              </p>
            )}
          </div>
        )}
        <Check label={t('keys.outcomes')} isOn={hasOutcomes} onChange={setOutcomes} />
        <Check label={t('keys.admin')} isOn={isAdmin} onChange={setAdmin} />
        {reach === 'none' && !isAdmin && <p class="quiet">{t('keys.usesNothing')}</p>}
      </fieldset>
      <div class="line">
        <label for="key-expires">{t('keys.ends')}</label>
        <Select
          id="key-expires"
          value={expires}
          onChange={setExpires}
          options={LIFETIMES.map((each) => [
            each,
            each === '' ? t('keys.never') : t('keys.after', { n: each.slice(0, -1) }),
          ])}
        />
      </div>
      {props.fault !== undefined && <Failure failure={props.fault} />}
      <div class="actions">
        <button type="submit" class="primary">
          {t('keys.make')}
        </button>
        <Button onClick={props.onCancel} text={t('progress.cancel')} />
      </div>
    </form>
  )
}
