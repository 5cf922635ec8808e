/** The scales of a record as the service understands them: total, whether it is complete, and the band with its scheme. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { ScaleState } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { ServiceText } from '../../ui/service-text.tsx'

type Scales = Readonly<{ catalogue: FieldCatalogue; scales: readonly ScaleState[] }>

export function ScaleList({ catalogue, scales }: Scales): VNode {
  const { t, number } = useWords()
  if (scales.length === 0) return <></>
  return (
    <div class="scales-said">
      <h3>{t('result.scales')}</h3>
      <dl>
        {scales.map((state) => {
          const scale = catalogue.scales.find(({ id }) => id === state.scale)
          return (
            <div key={state.scale}>
              <dt>
                <ServiceText text={scale?.title ?? state.scale} />
              </dt>
              <dd>
                {state.total !== null && <strong class="scale-figure">{number(state.total)}</strong>}
                <Band state={state} hasBands={(scale?.bands ?? []).length > 0} />
              </dd>
            </div>
          )
        })}
      </dl>
    </div>
  )
}

/** The band and the scheme that it comes from, or why there is none. */
export function Band(props: { readonly state: ScaleState; readonly hasBands: boolean }): VNode {
  const { t, serviceText } = useWords()
  const { complete, given, needed, band, scheme, verified } = props.state
  if (band === null) {
    if (!complete) return <span class="tag warn">{t('scale.incomplete', { given, needed })}</span>
    return props.hasBands ? <span class="band quiet">{t('scale.noBand')}</span> : <></>
  }
  return (
    <span class="band">
      <ServiceText text={band} />
      {/* Most schemes are citations, which are the same in every language. */}
      {scheme !== null && <span class="scheme">{serviceText(scheme)}</span>}
      {!verified && <span class="tag warn">{t('scale.bandUnverified')}</span>}
    </span>
  )
}
