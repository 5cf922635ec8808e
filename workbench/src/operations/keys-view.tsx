/** The keys: who has one, made, replaced and ended here. A new key is shown once. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { ApiFailure } from '../api.ts'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { Failure, Loading } from '../ui/status.tsx'
import { listKeys, revokeKey, rotateKey, type KeyInfo, type MadeKey } from './admin-calls.ts'
import { NewKeyForm } from './new-key-form.tsx'
import { toFailure, useAnswer } from '../use-answer.ts'

export function KeysView(): VNode {
  const { t } = useWords()
  const { answer, failure, again } = useAnswer(listKeys)
  const [made, setMade] = useState<MadeKey | undefined>(undefined)
  const [fault, setFault] = useState<ApiFailure | undefined>(undefined)
  const [isMaking, setMaking] = useState(false)
  const act = async (action: () => Promise<MadeKey | KeyInfo>): Promise<void> => {
    try {
      const result = await action()
      setMade('key' in result ? result : undefined)
      setFault(undefined)
      setMaking(false)
      again()
    } catch (error) {
      setFault(toFailure(error))
    }
  }
  return (
    <section class="card" aria-labelledby="keys-title">
      <div class="section-head">
        <h2 id="keys-title">{t('keys.title')}</h2>
        {!isMaking && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            {t('keys.new')}
          </button>
        )}
      </div>
      {made !== undefined && <ShownOnce made={made} onDone={() => setMade(undefined)} />}
      {isMaking && <NewKeyForm onMake={(make) => void act(make)} onCancel={() => setMaking(false)} />}
      {fault !== undefined && <Failure failure={fault} />}
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {answer === undefined && failure === undefined && <Loading text={t('app.loading')} />}
      {answer !== undefined && <KeyTable keys={answer} onAct={(action) => void act(action)} />}
    </section>
  )
}

function ShownOnce(props: { readonly made: MadeKey; readonly onDone: () => void }): VNode {
  const { t } = useWords()
  return (
    <div class="notice warn" role="alert">
      <p>
        <strong>{t('keys.once')}</strong>
      </p>
      <p>
        <code class="new-key">{props.made.key}</code>
      </p>
      <div class="actions">
        <button type="button" onClick={() => void navigator.clipboard.writeText(props.made.key)}>
          {t('keys.copy')}
        </button>
        <button type="button" onClick={props.onDone}>
          {t('keys.stored')}
        </button>
      </div>
    </div>
  )
}

function KeyTable(props: {
  readonly keys: readonly KeyInfo[]
  readonly onAct: (action: () => Promise<MadeKey | KeyInfo>) => void
}): VNode {
  const words = useWords()
  const { t } = words
  const own = useShared(session)?.summary.key.id
  const [asked, setAsked] = useState('')
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="keys-title">
      <table class="plain-table keys">
        <thead>
          <tr>
            <th scope="col">{t('keys.name')}</th>
            <th scope="col">{t('keys.scopes')}</th>
            <th scope="col">{t('keys.lastUsed')}</th>
            <th scope="col">{t('keys.ends')}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {props.keys.map((key) => {
            const isEnded =
              key.revoked !== null || (key.expires !== null && Date.parse(key.expires) <= Date.now())
            return (
              <tr key={key.id} class={isEnded ? 'ended' : undefined}>
                <th scope="row">
                  {key.name}
                  <code>{key.id}</code>
                </th>
                <td>{key.scopes.map((scope) => (scope === '*' ? t('keys.all') : scope)).join(', ')}</td>
                <td>{key.lastUsed === null ? t('keys.never') : words.time(key.lastUsed)}</td>
                <td>
                  {key.revoked !== null ? (
                    <span class="tag bad">{t('keys.revoked')}</span>
                  ) : key.expires === null ? (
                    t('keys.never')
                  ) : (
                    words.time(key.expires)
                  )}
                </td>
                <td>
                  {!isEnded && (
                    <div class="actions row-actions">
                      <button
                        type="button"
                        class="small"
                        onClick={() => props.onAct(() => rotateKey(key.id))}
                        aria-label={t('keys.rotateOf', { name: key.name })}
                      >
                        {t('keys.rotate')}
                      </button>
                      {asked === key.id ? (
                        <button
                          type="button"
                          class="small danger"
                          onClick={() => props.onAct(() => revokeKey(key.id))}
                        >
                          {t(key.id === own ? 'keys.revokeOwn' : 'keys.revokeSure')}
                        </button>
                      ) : (
                        <button
                          type="button"
                          class="small"
                          onClick={() => setAsked(key.id)}
                          aria-label={t('keys.revokeOf', { name: key.name })}
                        >
                          {t('keys.revoke')}
                        </button>
                      )}
                    </div>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
