/** What is known about the model: how it was made, how well it did, and where it comes from. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { Model } from '../shapes/model.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Fact } from './fact.tsx'

export function EvidenceView({ model }: { readonly model: Model }): VNode {
  const words = useWords()
  const { t } = words
  const { card } = model
  return (
    <section class="card" aria-labelledby="evidence-title">
      <h2 id="evidence-title">{t('model.evidence')}</h2>
      <p>
        <ServiceText text={card.development} />
      </p>
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
          <tbody>
            {card.discrimination.map((each) => (
              <tr key={each.data}>
                <th scope="row">
                  <ServiceText text={each.data} />
                </th>
                <td class="figure">
                  {each.cStatistic === undefined ? '–' : words.fixed(each.cStatistic, 3)}
                </td>
                <td class="figure">{each.brier === undefined ? '–' : words.fixed(each.brier, 4)}</td>
                <td>
                  {each.calibration !== undefined && <ServiceText text={each.calibration} />}{' '}
                  {each.source !== undefined && <ServiceText text={each.source} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        <ServiceText text={card.calibration} />
      </p>
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
