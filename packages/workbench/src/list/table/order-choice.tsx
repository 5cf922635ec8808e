/** What the table is sorted by: the same as its heads, and what no column shows. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import { Choice } from '../../ui/choice.tsx'
import { list } from '../list-state.ts'
import type { Order } from './order-rows.ts'

const ORDERS = {
  risk: { by: 'risk', isDescending: true },
  change: { by: 'change', isDescending: true },
  problems: { by: 'problems', isDescending: true },
  notices: { by: 'notices', isDescending: true },
  row: { by: 'row', isDescending: false },
} as const satisfies Readonly<Record<string, Order>>

const NAMES = ['risk', 'change', 'problems', 'notices', 'row'] as const

export function OrderChoice(): VNode {
  const { t } = useWords()
  const { order } = useShared(list)
  const chosen = NAMES.find(
    (name) => ORDERS[name].by === order.by && ORDERS[name].isDescending === order.isDescending,
  )
  return (
    <Choice
      class="order"
      label={t('order.label')}
      value={chosen ?? 'column'}
      options={[
        ...NAMES.map((name) => [name, t(`order.${name}`)] as const),
        ...(chosen === undefined ? ([['column', t('order.column')]] as const) : []),
      ]}
      onChoose={(name) => {
        if (name !== 'column') list.patch({ order: ORDERS[name] })
      }}
    />
  )
}
