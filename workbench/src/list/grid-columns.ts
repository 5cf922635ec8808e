/** The columns of the table: the row's number, the reader's own identifier, the risk, the problems, then what was sent. */
import { labelOf } from '../i18n/field-names.ts'
import type { Label } from '../i18n/phrases.ts'
import type { Words } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { ListState } from './list-state.ts'
import { IDENTIFIER } from './match-columns.ts'
import type { Order } from './order-rows.ts'
import { sentColumns } from './row-text.ts'

export interface GridColumn {
  readonly kind: 'row' | 'identifier' | 'risk' | 'problems' | 'value'
  readonly label: Label
  readonly order: Order['by']
  /** The sheet's column and the field it means, for cells that can be put right. */
  readonly column: number
  readonly field: string
  /** In pixels; a column of values takes a share of what is left beside. */
  readonly width: number
}

export function gridColumns(
  state: ListState,
  catalogue: FieldCatalogue,
  words: Words,
): readonly GridColumn[] {
  const { t, language } = words
  const identifier = state.matches.indexOf(IDENTIFIER)
  const fixed = (kind: GridColumn['kind'], text: string, order: Order['by'], width: number): GridColumn => {
    return { kind, label: { text }, order, column: -1, field: '', width }
  }
  return [
    fixed('row', t('grid.row'), 'row', 72),
    ...(identifier < 0 ? [] : [fixed('identifier', state.sheet?.columns[identifier] ?? '', identifier, 136)]),
    fixed('risk', t('grid.risk'), 'risk', 112),
    fixed('problems', t('grid.problems'), 'problems', 124),
    ...sentColumns(state.matches, catalogue.fields).map(({ column, field }): GridColumn => {
      const scale = catalogue.scales.find(({ id }) => id === field.scale)
      const label = labelOf(language, field, scale)
      return { kind: 'value', label, order: column, column, field: field.name, width: 128 }
    }),
  ]
}
