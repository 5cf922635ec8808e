/** Which rows of the audit are shown. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { Choice } from '../ui/choice.tsx'
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
      <Choice
        label={t('audit.key')}
        value={filter.key ?? ''}
        options={[all, ...keys.map(({ id, name }) => [id, `${name} (${id})`] as const)]}
        onChoose={(key) => onChange({ key })}
      />
      <Choice
        label={t('app.deployment')}
        value={filter.deployment ?? ''}
        options={[all, ...deployments.map(({ name }) => [name, name] as const)]}
        onChoose={(deployment) => onChange({ deployment })}
      />
      <Choice
        label={t('audit.call')}
        value={filter.calls ?? ''}
        options={[all, ...CALLS.map((each) => [each, t(`audit.calls.${each}`)] as const)]}
        onChoose={(calls) => onChange({ calls })}
      />
      <Choice
        label={t('audit.status')}
        value={filter.outcome ?? ''}
        options={[all, ...OUTCOMES.map((each) => [each, t(`audit.outcome.${each}`)] as const)]}
        onChoose={(outcome) => onChange({ outcome })}
      />
      <TimeInput name={t('audit.from')} onChange={(from) => onChange({ from })} />
      <TimeInput name={t('audit.to')} onChange={(to) => onChange({ to })} />
    </div>
  )
}

function TimeInput(props: { readonly name: string; readonly onChange: (iso: string) => void }): VNode {
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
