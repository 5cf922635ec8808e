/** The head of a column: its name, and a button that sorts by it. */
import type { VNode } from 'preact'
import { useShared } from '../../state.ts'
import type { GridColumn } from './grid-columns.ts'
import { list } from '../list-state.ts'

export function GridHead({ column }: { readonly column: GridColumn }): VNode {
  const { order } = useShared(list)
  const isSorted = order.by === column.order
  const sort = (): void => {
    // Figures are mostly wanted from the top, names from the start.
    const startsDescending = column.kind === 'risk' || column.kind === 'problems'
    list.patch({
      order: { by: column.order, isDescending: isSorted ? !order.isDescending : startsDescending },
    })
  }
  return (
    <div
      role="columnheader"
      class={column.isFigure ? 'figure' : undefined}
      aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" class="sort" onClick={sort} title={column.label.text}>
        <span lang={column.label.lang}>{column.label.text}</span>
        <span aria-hidden="true">{isSorted ? (order.isDescending ? '↓' : '↑') : ''}</span>
      </button>
    </div>
  )
}
