/** What the page is, for somebody who sees it for the first time, and an example to try it with. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ExampleKind } from './example/open-example.ts'
import { useWords } from './i18n/words.ts'
import { Button } from './ui/button.tsx'

export function FirstSight(): VNode {
  const { t } = useWords()
  const [state, setState] = useState<'busy' | 'failed' | undefined>(undefined)
  const open = async (kind: ExampleKind): Promise<void> => {
    setState('busy')
    try {
      const { openExample } = await import('./example/open-example.ts')
      await openExample(kind)
    } catch {
      setState('failed')
    }
  }
  const isBusy = state === 'busy'
  return (
    <section class="first-sight" aria-labelledby="first-sight-title">
      <h2 id="first-sight-title">{t('signIn.what')}</h2>
      <ul>
        <li>{t('signIn.whatRisk')}</li>
        <li>{t('signIn.whatWhy')}</li>
        <li>{t('signIn.whatList')}</li>
      </ul>
      <p class="quiet">{t('result.caution')}</p>
      <h3>{t('signIn.try')}</h3>
      <p>{t('signIn.tryNote')}</p>
      <div class="actions">
        <Button disabled={isBusy} onClick={() => void open('patient')} text={t('example.patient')} />
        <Button disabled={isBusy} onClick={() => void open('list')} text={t('example.list')} />
      </div>
      {isBusy && <p role="status">{t('app.loading')}</p>}
      {state === 'failed' && (
        <p class="notice bad" role="alert">
          {t('signIn.exampleFailed')}
        </p>
      )}
    </section>
  )
}
