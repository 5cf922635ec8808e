/** The columns of the table: line, identifier, risk, state, problems, note, chosen columns of the file, then what was sent. */
import { labelOf } from '../../i18n/field-names.ts'
import type { Label } from '../../i18n/phrases.ts'
import type { Words } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { fieldIn } from '../../patient/form/read-input.ts'
import type { ColumnShape, ListState } from '../list-state.ts'
import { IDENTIFIER, NOT_USED } from '../match/match-columns.ts'
import type { Order } from './order-rows.ts'
import { sentColumns } from '../score/row-text.ts'

export interface GridColumn {
  readonly kind: 'row' | 'identifier' | 'risk' | 'problems' | 'state' | 'note' | 'value' | 'extra'
  /** Figures are aligned to the right. */
  readonly isFigure: boolean
  readonly label: Label
  readonly order: Order['by']
  /** The sheet's column and the field it means, for cells that can be corrected. */
  readonly column: number
  readonly field: string
  /** In pixels; columns of values share what is left. */
  readonly width: number
}

/** The name under which the reader chose how a column is shown. */
export function columnId({ kind, column }: GridColumn): string {
  return column < 0 ? kind : String(column)
}

/** Columns of the file that were not sent are hidden until the reader asks for them. */
export function shapeOf({ shapes }: ListState, column: GridColumn): ColumnShape {
  return shapes[columnId(column)] ?? (column.kind === 'extra' ? 'hidden' : 'shown')
}

/** All columns, the hidden ones too. */
export function gridColumns(
  state: ListState,
  catalogue: FieldCatalogue,
  words: Words,
): readonly GridColumn[] {
  const { t, language } = words
  const identifier = state.matches.indexOf(IDENTIFIER)
  const fixed = (kind: GridColumn['kind'], text: string, order: Order['by'], width: number): GridColumn => {
    const isFigure = kind === 'row' || kind === 'risk'
    return { kind, isFigure, label: { text }, order, column: -1, field: '', width }
  }
  return [
    fixed('row', t(state.sheet?.lines.length === 0 ? 'grid.row' : 'grid.line'), 'row', 72),
    ...(identifier < 0 ? [] : [fixed('identifier', state.sheet?.columns[identifier] ?? '', identifier, 136)]),
    fixed('risk', t('grid.risk'), 'risk', 112),
    fixed('state', t('grid.state'), 'state', 124),
    fixed('problems', t('grid.problems'), 'problems', 148),
    fixed('note', t('grid.note'), 'note', 148),
    ...state.matches.flatMap((match, column): readonly GridColumn[] => {
      const label = { text: state.sheet?.columns[column] ?? '' }
      const parts = { isFigure: false, label, order: column, column, field: '', width: 136 }
      return match === NOT_USED ? [{ kind: 'extra', ...parts }] : []
    }),
    ...sentColumns(state, catalogue.fields).map(({ column, field, reading }): GridColumn => {
      const scale = catalogue.scales.find(({ id }) => id === field.scale)
      const name = labelOf(language, field, scale)
      // The cells are those of the file, in its unit.
      const unit = field.otherUnits === undefined ? '' : (fieldIn(field, reading.unit).unit ?? '')
      const label = unit === '' ? name : { ...name, text: `${name.text} (${words.serviceText(unit)})` }
      const isFigure = field.type === 'integer' || field.type === 'number'
      return { kind: 'value', isFigure, label, order: column, column, field: field.name, width: 116 }
    }),
  ]
}
