/** What a page without a service must say at all times: that nothing is sent, what is missing, and which deployment it holds. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { ExampleNote } from '../example/example-note.tsx'
import { isExample, offlineFacts } from '../service.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'

export function OfflineNote(): VNode {
  const { t, day, serviceText } = useWords()
  const deployment = useShared(session)?.deployment
  if (isExample()) return <ExampleNote />
  const isNumber = deployment?.output === 'number'
  const made = offlineFacts()?.made ?? ''
  return (
    <aside class="offline-note" aria-label={t('offline.title')}>
      <p>
        <strong>{t('offline.nothingSent')}</strong> {t('offline.noAudit')}
      </p>
      {deployment !== undefined && (
        <p class="quiet">
          <span>{`${serviceText(deployment.title)} (${t(isNumber ? 'app.number' : 'app.yesNo')})`}</span>
          <span>{deployment.model}</span>
          <span>{`${t('app.deployment')} ${deployment.name}`}</span>
          <code>{deployment.digest}</code>
          <span>{t('offline.made', { day: day(made) ?? made })}</span>
        </p>
      )}
    </aside>
  )
}
