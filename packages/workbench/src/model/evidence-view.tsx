/** What is known about the model: how it was made, how well it did, and where it comes from. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { Model } from '../shapes/model.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Table, tableRow } from '../ui/table.tsx'
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
      <Table
        caption={t('model.evidence')}
        columns={[t('model.data'), t('model.cStatistic'), t('model.brier'), t('model.calibration')]}
        texts={[3]}
        rows={card.discrimination.map(({ data, cStatistic, brier, calibration = '', source = '' }) =>
          tableRow(
            <ServiceText text={data} />,
            cStatistic === undefined ? '–' : words.fixed(cStatistic, 3),
            brier === undefined ? '–' : words.fixed(brier, 4),
            <>
              <ServiceText text={calibration} /> <ServiceText text={source} />
            </>,
          ),
        )}
      />
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
