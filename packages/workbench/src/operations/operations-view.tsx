/** What those who run the service look at: is it ready, how is it used, who has keys, what was answered. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { type Readiness, readReadiness } from './admin-calls.ts'
import { AuditView } from './audit-view.tsx'
import { KeysView } from './keys-view.tsx'
import { OnDemand } from '../ui/on-demand.tsx'
import { UsageView } from './usage-view.tsx'
import { WatchView } from './watch-view.tsx'

export function OperationsView(): VNode {
  const { t } = useWords()
  return (
    <div class="operations">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{t('operations.title')}</h1>
          <p class="lead">{t('operations.lead')}</p>
        </div>
      </div>
      <div class="beside">
        <ReadinessView />
        <UsageView />
      </div>
      <WatchView />
      <KeysView />
      <AuditView />
    </div>
  )
}

function ReadinessView(): VNode {
  const { t } = useWords()
  const draw = ({ store, deployments }: Readiness): VNode => (
    <ul class="readiness">
      <li>
        <span>{t('operations.store')}</span>
        <State isGood={store} good={t('operations.reachable')} bad={t('operations.unreachable')} />
      </li>
      {deployments.map(({ name, model, ready }) => (
        <li key={name}>
          <span>
            {name} <span class="quiet">{model}</span>
          </span>
          <State isGood={ready} good={t('operations.ready')} bad={t('app.notReady')} />
        </li>
      ))}
    </ul>
  )
  return (
    <section class="card" aria-labelledby="readiness-title">
      <div class="section-head">
        <h2 id="readiness-title">{t('operations.readiness')}</h2>
      </div>
      <OnDemand load={readReadiness} draw={draw} />
    </section>
  )
}

function State(props: { readonly isGood: boolean; readonly good: string; readonly bad: string }): VNode {
  return <span class={props.isGood ? 'tag good' : 'tag bad'}>{props.isGood ? props.good : props.bad}</span>
}
