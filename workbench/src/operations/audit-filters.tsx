/** Which rows of the audit are shown. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import type { AuditFilter, KeyInfo } from './admin-calls.ts'

const OUTCOMES = ['answered', 'refused'] as const
const CALLS = ['scoring', 'management'] as const

export function AuditFilters(props: {
  readonly filter: AuditFilter
  readonly keys: readonly KeyInfo[]
  readonly onChange: (parts: AuditFilter) => void
}): VNode {
  const { t } = useWords()
  const { filter, keys, onChange } = props
  const deployments = useShared(session)?.summary.deployments ?? []
  const all = <option value="">{t('filter.all')}</option>
  return (
    <div class="filters" role="group" aria-label={t('audit.filters')}>
      <label>
        <span>{t('audit.key')}</span>
        <select value={filter.key ?? ''} onChange={(event) => onChange({ key: event.currentTarget.value })}>
          {all}
          {keys.map(({ id, name }) => (
            <option key={id} value={id}>{`${name} (${id})`}</option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('app.deployment')}</span>
        <select
          value={filter.deployment ?? ''}
          onChange={(event) => onChange({ deployment: event.currentTarget.value })}
        >
          {all}
          {deployments.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('audit.call')}</span>
        <select
          value={filter.calls ?? ''}
          onChange={(event) =>
            onChange({ calls: event.currentTarget.value as AuditFilter['calls'] & string })
          }
        >
          {all}
          {CALLS.map((each) => (
            <option key={each} value={each}>
              {t(`audit.calls.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('audit.status')}</span>
        <select
          value={filter.outcome ?? ''}
          onChange={(event) =>
            onChange({ outcome: event.currentTarget.value as AuditFilter['outcome'] & string })
          }
        >
          {all}
          {OUTCOMES.map((each) => (
            <option key={each} value={each}>
              {t(`audit.outcome.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <TimeInput name={t('audit.from')} value={filter.from} onChange={(from) => onChange({ from })} />
      <TimeInput name={t('audit.to')} value={filter.to} onChange={(to) => onChange({ to })} />
    </div>
  )
}

function TimeInput(props: {
  readonly name: string
  readonly value: string | undefined
  readonly onChange: (iso: string) => void
}): VNode {
  return (
    <label>
      <span>{props.name}</span>
      <input
        type="datetime-local"
        onChange={(event) => {
          const { value } = event.currentTarget
          props.onChange(value === '' ? '' : new Date(value).toISOString())
        }}
      />
    </label>
  )
}
