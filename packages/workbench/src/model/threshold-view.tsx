/** From the score to the risk, where the line is drawn, and what that costs. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { Model } from '../shapes/model.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Fact } from './fact.tsx'
import { LinkView } from './link-view.tsx'

export function ThresholdView({ model }: { readonly model: Model }): VNode {
  const words = useWords()
  const { t } = words
  const { threshold, deployment } = model
  return (
    <section class="card" aria-labelledby="risk-title">
      <h2 id="risk-title">{t('model.fromScore')}</h2>
      <div class="beside">
        <LinkView model={model} />
        <dl class="facts">
          {deployment.threshold !== undefined && (
            <Fact name={t('model.deploymentThreshold')}>{words.threshold(deployment.threshold)}</Fact>
          )}
          {threshold === undefined ? (
            <Fact name={t('model.threshold')}>{t('model.noThreshold')}</Fact>
          ) : (
            <>
              <Fact name={t('model.threshold')}>
                {words.threshold(threshold.risk)}
                {threshold.score !== undefined &&
                  ` · ${t('model.score', { score: words.number(threshold.score) })}`}{' '}
                <span class={threshold.published ? 'tag good' : 'tag warn'}>
                  {t(threshold.published ? 'model.published' : 'model.ours')}
                </span>
              </Fact>
              <Fact name={t('model.thresholdNote')}>
                <ServiceText text={threshold.note} />
              </Fact>
              <Fact name={t('model.cost')}>
                <ServiceText text={threshold.cost} />
              </Fact>
            </>
          )}
        </dl>
      </div>
    </section>
  )
}
