/** What those who run the service look at: is it ready, how is it used, who has keys, what was answered. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { Failure, Loading } from '../ui/status.tsx'
import { readReadiness } from './admin-calls.ts'
import { AuditView } from './audit-view.tsx'
import { KeysView } from './keys-view.tsx'
import { UsageView } from './usage-view.tsx'
import { useAnswer } from '../use-answer.ts'
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
  const { answer, failure, again } = useAnswer(readReadiness)
  return (
    <section class="card" aria-labelledby="readiness-title">
      <div class="section-head">
        <h2 id="readiness-title">{t('operations.readiness')}</h2>
      </div>
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {answer === undefined && failure === undefined && <Loading text={t('app.loading')} />}
      {answer !== undefined && (
        <ul class="readiness">
          <li>
            <span>{t('operations.store')}</span>
            <State isGood={answer.store} good={t('operations.reachable')} bad={t('operations.unreachable')} />
          </li>
          {answer.deployments.map(({ name, model, ready }) => (
            <li key={name}>
              <span>
                {name} <span class="quiet">{model}</span>
              </span>
              <State isGood={ready} good={t('operations.ready')} bad={t('app.notReady')} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function State(props: { readonly isGood: boolean; readonly good: string; readonly bad: string }): VNode {
  return <span class={props.isGood ? 'tag good' : 'tag bad'}>{props.isGood ? props.good : props.bad}</span>
}
