/** A plain table of figures that scrolls sideways on a narrow screen, by keyboard too. */
import type { ComponentChildren, VNode } from 'preact'

export interface TableRow {
  readonly head: ComponentChildren
  readonly cells: readonly ComponentChildren[]
  readonly kind?: 'own' | 'group' | undefined
}

export interface TableProps {
  /** What the table shows, for readers who reach it without its context. */
  readonly caption: string
  /** Whether the caption is shown; without it the text around the table says what it holds. */
  readonly hasTitle?: boolean
  /** The first column names the row, the others hold figures. */
  readonly columns: readonly ComponentChildren[]
  /** The places of columns that hold texts instead. */
  readonly texts?: readonly number[]
  readonly rows: readonly TableRow[]
}

const MOST_FEW = 4
const FEWEST_WIDE = 9

export function Table({ caption, hasTitle = false, columns, texts = [], rows }: TableProps): VNode {
  // A figure far from its name is hard to read, so a table of few columns is not stretched.
  const few = columns.length <= MOST_FEW ? ' few' : ''
  const many = columns.length >= FEWEST_WIDE ? ' many' : ''
  const classAt = (column: number): string | undefined =>
    column === 0 || texts.includes(column) ? undefined : 'figure'
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={caption}>
      <table class={`plain-table figures-table${few}${many}`}>
        <caption class={hasTitle ? undefined : 'visually-hidden'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) =>
              column === '' ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col" class={classAt(index)}>
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ head, cells, kind }, row) => (
            <tr key={row} class={kind}>
              <th
                scope={kind === 'group' ? 'rowgroup' : 'row'}
                colSpan={kind === 'group' ? columns.length : undefined}
              >
                {head}
              </th>
              {cells.map((cell, index) => (
                <td key={index} class={classAt(index + 1)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A row: its name, then its cells. */
export function tableRow(head: ComponentChildren, ...cells: readonly ComponentChildren[]): TableRow {
  return { head, cells }
}
