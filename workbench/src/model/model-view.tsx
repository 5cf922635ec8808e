/** The model's card as a page to read: what it is for, for whom, how it counts, what a threshold costs, and where it comes from. */
import type { ComponentChildren, VNode } from 'preact'
import { fullLabelOf } from '../i18n/field-names.ts'
import { allowedOf } from '../i18n/problem-words.ts'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { EffectView } from './effect-view.tsx'
import { LinkView } from './link-view.tsx'

export function ModelView({
  model,
  catalogue,
}: {
  readonly model: Model
  readonly catalogue: FieldCatalogue
}): VNode {
  const words = useWords()
  const { t } = words
  const { card, threshold, deployment } = model
  return (
    <article class="model">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1} lang="en">
            {model.title}
          </h1>
          <p class="lead" lang="en">
            {card.summary}
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
      {words.language !== 'en' && <p class="notice">{t('model.english')}</p>}
      <section class="card" aria-labelledby="use-title">
        <h2 id="use-title">{t('model.use')}</h2>
        <dl class="facts" lang="en">
          <Fact name={t('model.intendedUse')}>{card.intendedUse}</Fact>
          <Fact name={t('model.users')}>{card.users}</Fact>
          <Fact name={t('model.population')}>{card.population}</Fact>
          <Fact name={t('model.setting')}>{card.setting}</Fact>
          <Fact name={t('model.outcome')}>{card.outcome}</Fact>
          <Fact name={t('model.horizon')}>{t('model.days', { n: words.number(card.horizonDays) })}</Fact>
        </dl>
      </section>
      <section class="card" aria-labelledby="limits-title">
        <h2 id="limits-title">{t('model.limits')}</h2>
        <ul lang="en">
          {[...card.limits, ...(card.conflicts ?? [])].map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </section>
      <section class="card" aria-labelledby="risk-title">
        <h2 id="risk-title">{t('model.fromScore')}</h2>
        <div class="beside">
          <LinkView model={model} />
          <dl class="facts">
            {deployment.threshold !== undefined && (
              <Fact name={t('model.deploymentThreshold')}>{words.percent(deployment.threshold)}</Fact>
            )}
            {threshold === undefined ? (
              <Fact name={t('model.threshold')}>{t('model.noThreshold')}</Fact>
            ) : (
              <>
                <Fact name={t('model.threshold')}>
                  {words.percent(threshold.risk)}
                  {threshold.score !== undefined &&
                    ` · ${t('model.score', { score: words.number(threshold.score) })}`}{' '}
                  <span class={threshold.published ? 'tag good' : 'tag warn'}>
                    {t(threshold.published ? 'model.published' : 'model.ours')}
                  </span>
                </Fact>
                <Fact name={t('model.thresholdNote')}>
                  <span lang="en">{threshold.note}</span>
                </Fact>
                <Fact name={t('model.cost')}>
                  <span lang="en">{threshold.cost}</span>
                </Fact>
              </>
            )}
          </dl>
        </div>
      </section>
      <section class="card" aria-labelledby="effect-title">
        <h2 id="effect-title">{t('model.effects')}</h2>
        <EffectView model={model} catalogue={catalogue} />
      </section>
      <Inputs model={model} catalogue={catalogue} />
      <Evidence model={model} />
    </article>
  )
}

function Inputs({ model, catalogue }: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const words = useWords()
  const { t, language } = words
  return (
    <section class="card" aria-labelledby="inputs-title">
      <h2 id="inputs-title">{t('model.inputs')}</h2>
      <p lang="en">{model.card.missingData}</p>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="inputs-title">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{t('model.input')}</th>
              <th scope="col">{t('match.allowed')}</th>
              <th scope="col">{t('model.meaning')}</th>
            </tr>
          </thead>
          <tbody>
            {model.inputs.map((field) => {
              const scale = catalogue.scales.find(({ id }) => id === field.scale)
              const label = fullLabelOf(language, field, scale)
              return (
                <tr key={field.name}>
                  <th scope="row">
                    <span lang={label.lang}>{label.text}</span>
                    <code>{field.name}</code>
                  </th>
                  <td>{field.type === 'boolean' ? t('match.yesNo') : allowedOf(words, field)}</td>
                  <td lang="en">{field.meaning}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Evidence({ model }: { readonly model: Model }): VNode {
  const words = useWords()
  const { t } = words
  const { card } = model
  return (
    <section class="card" aria-labelledby="evidence-title">
      <h2 id="evidence-title">{t('model.evidence')}</h2>
      <p lang="en">{card.development}</p>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="evidence-title">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{t('model.data')}</th>
              <th scope="col" class="figure">
                {t('model.cStatistic')}
              </th>
              <th scope="col" class="figure">
                {t('model.brier')}
              </th>
              <th scope="col">{t('model.calibration')}</th>
            </tr>
          </thead>
          <tbody lang="en">
            {card.discrimination.map((each) => (
              <tr key={each.data}>
                <th scope="row">{each.data}</th>
                <td class="figure">
                  {each.cStatistic === undefined ? '–' : words.fixed(each.cStatistic, 3)}
                </td>
                <td class="figure">{each.brier === undefined ? '–' : words.fixed(each.brier, 4)}</td>
                <td>{[each.calibration, each.source].filter((part) => part !== undefined).join(' ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p lang="en">{card.calibration}</p>
      <dl class="facts">
        <Fact name={t('model.source')}>
          <span lang="en">{model.source.cite}</span>
          {(model.source.links ?? []).map((link) => (
            <a key={link} class="source-link" href={link} rel="noreferrer" target="_blank">
              {link}
            </a>
          ))}
        </Fact>
        <Fact name={t('model.licence')}>
          <span lang="en">{`${model.licence.status} ${model.licence.shipped}`}</span>
        </Fact>
        <Fact name={t('model.digest')}>
          <code>{model.digest}</code>
        </Fact>
      </dl>
    </section>
  )
}

function Fact(props: { readonly name: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}
