/** The model card as a page: purpose, population, limits, how the inputs count, what a threshold costs, and the sources. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { ReportView } from '../report/report-view.tsx'
import type { Loaded } from '../session.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { CurveView } from './curve-view.tsx'
import { curvesOf, isCurved, isOddsModel } from './effect.ts'
import { EvidenceView } from './evidence-view.tsx'
import { Fact } from './fact.tsx'
import { InputsView } from './inputs-view.tsx'
import { PointsView } from './points-view.tsx'
import { ThresholdView } from './threshold-view.tsx'
import { TreesView } from './trees-view.tsx'

export function ModelView({ model, catalogue }: Loaded): VNode {
  const words = useWords()
  const { t } = words
  const { card, deployment } = model
  return (
    <article class="model">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>
            <ServiceText text={model.title} />
          </h1>
          <p class="lead">
            <ServiceText text={card.summary} />
          </p>
          <p class="tags">
            <span class="tag">{`${model.id} ${model.version}`}</span>
            <span class={model.ready ? 'tag good' : 'tag bad'}>
              {t(model.ready ? 'model.ready' : 'model.notReady')}
            </span>
            <span class={model.released ? 'tag good' : 'tag warn'}>
              {t(model.released ? 'model.released' : 'model.unreleased')}
            </span>
          </p>
        </div>
      </div>
      <section class="card" aria-labelledby="use-title">
        <h2 id="use-title">{t('model.use')}</h2>
        <dl class="facts">
          <Fact name={t('model.intendedUse')}>
            <ServiceText text={card.intendedUse} />
          </Fact>
          <Fact name={t('model.users')}>
            <ServiceText text={card.users} />
          </Fact>
          <Fact name={t('model.population')}>
            <ServiceText text={card.population} />
          </Fact>
          <Fact name={t('model.setting')}>
            <ServiceText text={card.setting} />
          </Fact>
          <Fact name={t('model.outcome')}>
            <ServiceText text={card.outcome} />
          </Fact>
          <Fact name={t('model.horizon')}>{words.count('days', card.horizonDays)}</Fact>
          <Fact name={t('model.death')}>{t(`model.death.${card.competing ?? 'unstated'}`)}</Fact>
        </dl>
      </section>
      <section class="card" aria-labelledby="limits-title">
        <h2 id="limits-title">{t('model.limits')}</h2>
        <ul>
          {[...card.limits, ...(card.conflicts ?? [])].map((limit) => (
            <li key={limit}>
              <ServiceText text={limit} />
            </li>
          ))}
        </ul>
      </section>
      <ThresholdView model={model} />
      <section class="card" aria-labelledby="effect-title">
        <h2 id="effect-title">{t('model.effects')}</h2>
        <EffectView model={model} catalogue={catalogue} />
      </section>
      {model.report && <ReportView key={deployment.name} model={model} />}
      <InputsView model={model} catalogue={catalogue} />
      <EvidenceView model={model} />
    </article>
  )
}

/** How each input counts: a curve where the effect is smooth, a table of points with bars where it comes in steps. */
function EffectView({ model, catalogue }: Loaded): VNode {
  return (
    <div class="effects">
      {curvesOf(model.terms).map((curve) => (
        <CurveView key={curve.field} curve={curve} model={model} catalogue={catalogue} />
      ))}
      {model.terms.map((term, index) => {
        if (isCurved(term)) return undefined
        if (term.kind !== 'trees')
          return <PointsView key={index} term={term} catalogue={catalogue} isOdds={isOddsModel(model)} />
        const former = model.terms.slice(0, index)
        const before = former.reduce((sum, each) => sum + (each.kind === 'trees' ? each.count : 0), 0)
        return <TreesView key={`${model.digest} ${index}`} {...{ term, before, model, catalogue }} />
      })}
    </div>
  )
}
