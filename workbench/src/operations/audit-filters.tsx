/** Which rows of the audit are shown. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { Select } from '../ui/select.tsx'
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
  const all = ['', t('filter.all')] as const
  return (
    <div class="filters" role="group" aria-label={t('audit.filters')}>
      <label>
        <span>{t('audit.key')}</span>
        <Select
          value={filter.key ?? ''}
          onChange={(key) => onChange({ key })}
          options={[all, ...keys.map(({ id, name }) => [id, `${name} (${id})`] as const)]}
        />
      </label>
      <label>
        <span>{t('app.deployment')}</span>
        <Select
          value={filter.deployment ?? ''}
          onChange={(deployment) => onChange({ deployment })}
          options={[all, ...deployments.map(({ name }) => [name, name] as const)]}
        />
      </label>
      <label>
        <span>{t('audit.call')}</span>
        <Select
          value={filter.calls ?? ''}
          onChange={(calls) => onChange({ calls })}
          options={[all, ...CALLS.map((each) => [each, t(`audit.calls.${each}`)] as const)]}
        />
      </label>
      <label>
        <span>{t('audit.status')}</span>
        <Select
          value={filter.outcome ?? ''}
          onChange={(outcome) => onChange({ outcome })}
          options={[all, ...OUTCOMES.map((each) => [each, t(`audit.outcome.${each}`)] as const)]}
        />
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
