/**
 * The columns of the table: whose row it is, risk, state and reasons, which stay at the left; then what was sent, other columns of the
 * file, and the note.
 */
import { labelOf } from '../../i18n/field-names.ts'
import type { Label } from '../../i18n/phrases.ts'
import type { Words } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { fieldIn } from '../../patient/form/read-input.ts'
import type { ColumnShape, ListState } from '../list-state.ts'
import { IDENTIFIER, NOT_USED } from '../match/match-columns.ts'
import type { ColumnKind } from './column-widths.ts'
import type { Order } from './order-rows.ts'
import { sentColumns } from '../score/row-text.ts'

export interface GridColumn {
  readonly kind: ColumnKind
  /** Figures are aligned to the right. */
  readonly isFigure: boolean
  readonly label: Label
  readonly order: Order['by']
  /** The sheet's column and the field it means, for cells that can be corrected. */
  readonly column: number
  readonly field: string
  /** In pixels; reasons and values share what is left. */
  readonly width: number
}

const FIXED: ReadonlySet<GridColumn['kind']> = new Set(['row', 'identifier', 'risk', 'state', 'reasons'])

/** Whether a column stays in sight while the others scroll sideways. */
export function isFixed({ kind }: GridColumn): boolean {
  return FIXED.has(kind)
}

/** The name under which the reader chose how a column is shown. */
export function columnId({ kind, column }: GridColumn): string {
  return column < 0 ? kind : String(column)
}

/** Columns of the file that were not sent are hidden until the reader asks for them, as are lines where rows have an identifier. */
export function shapeOf({ shapes, matches }: ListState, column: GridColumn): ColumnShape {
  const isHidden = column.kind === 'extra' || (column.kind === 'row' && matches.includes(IDENTIFIER))
  return shapes[columnId(column)] ?? (isHidden ? 'hidden' : 'shown')
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
  const extras = state.matches.flatMap((match, column): readonly GridColumn[] => {
    const label = { text: state.sheet?.columns[column] ?? '' }
    const parts = { isFigure: false, label, order: column, column, field: '', width: 136 }
    return match === NOT_USED ? [{ kind: 'extra', ...parts }] : []
  })
  return [
    fixed('row', t(state.sheet?.lines.length === 0 ? 'grid.row' : 'grid.line'), 'row', 72),
    ...(identifier < 0 ? [] : [fixed('identifier', state.sheet?.columns[identifier] ?? '', identifier, 116)]),
    fixed('risk', t('grid.risk'), 'risk', 128),
    fixed('state', t('grid.state'), 'state', 112),
    fixed('reasons', t('grid.reasons'), 'problems', 236),
    ...sentColumns(state, catalogue.fields).map(({ column, field, reading }): GridColumn => {
      const scale = catalogue.scales.find(({ id }) => id === field.scale)
      const name = labelOf(language, field, scale)
      // The cells are those of the file, in its unit.
      const unit = field.otherUnits === undefined ? '' : (fieldIn(field, reading.unit).unit ?? '')
      const label = unit === '' ? name : { ...name, text: `${name.text} (${words.serviceText(unit)})` }
      const isFigure = field.type === 'integer' || field.type === 'number'
      return { kind: 'value', isFigure, label, order: column, column, field: field.name, width: 88 }
    }),
    ...extras,
    fixed('note', t('grid.note'), 'note', 112),
  ]
}
