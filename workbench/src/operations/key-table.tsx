/** The keys as a table, each with the ways to replace and to end it. Ending is asked twice. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { revokeKey, rotateKey, type KeyInfo, type MadeKey } from './admin-calls.ts'

export function KeyTable(props: {
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
