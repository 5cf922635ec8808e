/** The form for a new key: for whom, for which deployments, for how long. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { makeKey, type MadeKey } from './admin-calls.ts'

const LIFETIMES = ['', '30d', '90d', '365d'] as const

export function NewKeyForm(props: {
  readonly onMake: (make: () => Promise<MadeKey>) => void
  readonly onCancel: () => void
}): VNode {
  const { t } = useWords()
  const deployments = useShared(session)?.summary.deployments ?? []
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [isAdmin, setAdmin] = useState(false)
  const [expires, setExpires] = useState<string>('90d')
  const toggle = (deployment: string): void =>
    setChosen(
      chosen.includes(deployment) ? chosen.filter((each) => each !== deployment) : [...chosen, deployment],
    )
  const submit = (event: Event): void => {
    event.preventDefault()
    if (name.trim() === '') return
    props.onMake(() =>
      makeKey({
        name: name.trim(),
        ...(chosen.length === 0 ? {} : { deployments: chosen }),
        ...(isAdmin ? { admin: true } : {}),
        ...(expires === '' ? {} : { expires }),
      }),
    )
  }
  return (
    <form class="new-key-form" onSubmit={submit}>
      <div class="line">
        <label for="key-name">{t('keys.for')}</label>
        <input
          id="key-name"
          type="text"
          maxLength={100}
          value={name}
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <fieldset class="choice">
        <legend>{t('keys.mayUse')}</legend>
        <p class="quiet">{t('keys.noneIsAll')}</p>
        {deployments.map((deployment) => (
          <label key={deployment.name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(deployment.name)}
              onChange={() => toggle(deployment.name)}
            />
            <span>{deployment.name}</span>
          </label>
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={isAdmin}
            onChange={(event) => setAdmin(event.currentTarget.checked)}
          />
          <span>{t('keys.admin')}</span>
        </label>
      </fieldset>
      <div class="line">
        <label for="key-expires">{t('keys.ends')}</label>
        <select id="key-expires" value={expires} onChange={(event) => setExpires(event.currentTarget.value)}>
          {LIFETIMES.map((lifetime) => (
            <option key={lifetime} value={lifetime}>
              {lifetime === '' ? t('keys.never') : t('keys.after', { n: lifetime.slice(0, -1) })}
            </option>
          ))}
        </select>
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          {t('keys.make')}
        </button>
        <button type="button" onClick={props.onCancel}>
          {t('progress.cancel')}
        </button>
      </div>
    </form>
  )
}
