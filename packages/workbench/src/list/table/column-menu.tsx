/** Every column but those that say whose row it is and its risk can be narrowed and hidden; columns that were not sent can be shown. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Choice } from '../../ui/choice.tsx'
import { Menu } from '../../ui/menu.tsx'
import { list, type ColumnShape } from '../list-state.ts'
import { columnId, gridColumns, shapeOf } from './grid-columns.ts'

export function ColumnMenu({ catalogue }: { readonly catalogue: FieldCatalogue }): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  return (
    <Menu label={t('filter.columns')}>
      {gridColumns(state, catalogue, words)
        .filter(({ kind }) => kind !== 'identifier' && kind !== 'risk')
        .map((column) => (
          <Choice<ColumnShape>
            key={columnId(column)}
            label={column.label.text}
            value={shapeOf(state, column)}
            options={(['shown', 'narrow', 'hidden'] as const).map((each) => [each, t(`column.${each}`)])}
            onChoose={(shape) => list.patch({ shapes: { ...state.shapes, [columnId(column)]: shape } })}
          />
        ))}
    </Menu>
  )
}
