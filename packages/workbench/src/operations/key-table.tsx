/** The keys as a table. Replacing and revoking a key first says what happens and asks. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords, type Words } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm.tsx'
import { Select } from '../ui/select.tsx'
import { revokeKey, rotateKey, type KeyInfo, type MadeKey } from './admin-calls.ts'

export interface KeyTableProps {
  readonly keys: readonly KeyInfo[]
  readonly onAct: (name: string, action: () => Promise<MadeKey | KeyInfo>) => void
}

interface KeyAction {
  readonly key: KeyInfo
  readonly what: 'replace' | 'revoke'
}

export function KeyTable(props: KeyTableProps): VNode {
  const words = useWords()
  const { t } = words
  const [action, setAction] = useState<KeyAction | undefined>(undefined)
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="keys-title">
        <table class="plain-table keys stacked" role="table">
          <thead>
            <tr>
              <th scope="col">{t('keys.name')}</th>
              <th scope="col">{t('keys.scopes')}</th>
              <th scope="col">{t('keys.limits')}</th>
              <th scope="col">{t('keys.created')}</th>
              <th scope="col">{t('keys.lastUsed')}</th>
              <th scope="col">{t('keys.ends')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {props.keys.map((key) => (
              <KeyRow key={key.id} info={key} onAction={setAction} />
            ))}
          </tbody>
        </table>
      </div>
      {action !== undefined && (
        <KeyActionDialog {...action} onAct={props.onAct} onDone={() => setAction(undefined)} />
      )}
    </>
  )
}

function KeyRow(props: { readonly info: KeyInfo; readonly onAction: (action: KeyAction) => void }): VNode {
  const words = useWords()
  const { t } = words
  const { info: key, onAction: onAsk } = props
  const isEnded = key.revoked !== null || (key.expires !== null && Date.parse(key.expires) <= Date.now())
  return (
    <tr class={isEnded ? 'ended' : undefined} role="row">
      <th scope="row" role="rowheader">
        {key.name}
        <code>{key.id}</code>
      </th>
      <td role="cell" data-name={t('keys.scopes')}>
        {scopeText(words, key)}
      </td>
      <td role="cell" data-name={t('keys.limits')}>
        {limitText(words, key)}
      </td>
      <td role="cell" data-name={t('keys.created')} class="when">
        {words.time(key.created)}
      </td>
      <td role="cell" data-name={t('keys.lastUsed')} class="when">
        {timeOrNever(words, key.lastUsed)}
      </td>
      <td role="cell" data-name={t('keys.ends')} class="when">
        {key.revoked === null ? (
          timeOrNever(words, key.expires)
        ) : (
          <span class="tag bad">{t('keys.revoked')}</span>
        )}
      </td>
      <td role="cell">
        {!isEnded && (
          <div class="actions row-actions">
            <Button
              class="small"
              onClick={() => onAsk({ key, what: 'replace' })}
              aria-label={t('keys.rotateOf', { name: key.name })}
              text={t('keys.rotate')}
            />
            <Button
              class="small"
              onClick={() => onAsk({ key, what: 'revoke' })}
              aria-label={t('keys.revokeOf', { name: key.name })}
              text={t('keys.revoke')}
            />
          </div>
        )}
      </td>
    </tr>
  )
}

const OVERLAPS = ['0m', '1h', '24h', '7d'] as const

/** Says what will happen to the key, and asks for confirmation. */
function KeyActionDialog(
  props: KeyAction & { readonly onAct: KeyTableProps['onAct']; readonly onDone: () => void },
): VNode {
  const { t } = useWords()
  const { key, what } = props
  const own = useShared(session)?.summary.key.id
  const [overlap, setOverlap] = useState<string>('24h')
  const go = (): void => {
    props.onDone()
    props.onAct(key.name, () => (what === 'revoke' ? revokeKey(key.id) : rotateKey(key.id, overlap)))
  }
  return (
    <ConfirmDialog
      title={t(what === 'revoke' ? 'keys.revokeOf' : 'keys.rotateOf', { name: key.name })}
      go={t(what === 'revoke' ? 'keys.revokeSure' : 'keys.rotateSure')}
      onGo={go}
      onCancel={props.onDone}
    >
      <p>
        {t(what === 'revoke' ? 'keys.revokeText' : 'keys.rotateText')} <code>{key.id}</code>
      </p>
      {key.id === own && <p class="notice warn">{t('keys.own')}</p>}
      {what === 'replace' && (
        <label class="line">
          <span>{t('keys.overlap')}</span>
          <Select
            value={overlap}
            onChange={setOverlap}
            options={OVERLAPS.map((each) => [each, t(`keys.overlap.${each}`)])}
          />
        </label>
      )}
    </ConfirmDialog>
  )
}

function timeOrNever({ t, time }: Words, at: string | null): string {
  return at === null ? t('keys.never') : time(at)
}

function scopeText({ t }: Words, { scopes }: KeyInfo): string {
  if (scopes.length === 0) return t('keys.nothing')
  const nameOf = (scope: string): string => {
    if (scope === '*') return t('keys.all')
    return scope === 'admin' ? t('keys.adminShort') : scope
  }
  return scopes.map(nameOf).join(', ')
}

function limitText({ t, number }: Words, { limits }: KeyInfo): string {
  const given = [
    ['keys.limitRequests', limits?.requestsPerMinute],
    ['keys.limitRecords', limits?.recordsPerMinute],
  ] as const
  const parts = given.flatMap(([key, limit]) =>
    typeof limit === 'number' ? t(key, { n: number(limit) }) : [],
  )
  return parts.length === 0 ? t('keys.limitDefault') : parts.join(', ')
}
