/** What the example must say at all times: that its patients are invented, that it is no model of this service, and the way out. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { Button } from '../ui/button.tsx'
import { leaveExample } from './leave-example.ts'

export function ExampleNote(): VNode {
  const { t, serviceText } = useWords()
  const deployment = useShared(session)?.deployment
  return (
    <aside class="offline-note example-note" aria-label={t('example.title')}>
      <p>
        <strong>{t('example.title')}.</strong> {t('example.note')}
        {deployment !== undefined && ` ${serviceText(deployment.title)} (${deployment.model}).`}
      </p>
      <Button class="small" onClick={leaveExample} text={t('signIn.leaveExample')} />
    </aside>
  )
}
