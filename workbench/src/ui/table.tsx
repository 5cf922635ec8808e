/** A plain table of figures that scrolls sideways on a narrow screen, by keyboard too. */
import type { ComponentChildren, VNode } from 'preact'

export interface TableRow {
  readonly key: string
  readonly head: ComponentChildren
  readonly cells: readonly ComponentChildren[]
  readonly kind?: 'own' | 'group'
}

export interface TableProps {
  /** What the table holds, for those who come upon it without its surroundings. */
  readonly caption: string
  /** The first column names the row, the others hold figures. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
}

export function Table({ caption, columns, rows }: TableProps): VNode {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={caption}>
      <table class="plain-table figures-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) =>
              column === '' ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col" class={index === 0 ? undefined : 'figure'}>
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, head, cells, kind }) => (
            <tr key={key} class={kind}>
              <th
                scope={kind === 'group' ? 'rowgroup' : 'row'}
                colSpan={kind === 'group' ? columns.length : 1}
              >
                {head}
              </th>
              {cells.map((cell, index) => (
                <td key={index} class="figure">
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
