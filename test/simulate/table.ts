/** What a simulation finds: tables of texts, printed as Markdown for the documentation. */
export interface Table {
  readonly title: string
  readonly head: string[]
  readonly rows: string[][]
}

export interface SimulateOptions {
  readonly reduced: boolean
  /** The share of the runs, where a simulation can be cut at will. */
  readonly share?: number | undefined
  /** The only table that is wanted, from 1, where a simulation can make one alone. */
  readonly table?: number | undefined
  /** The only rows that are wanted, by their first cell, where a simulation can make some alone. */
  readonly only?: readonly string[] | undefined
}

/** Whether a row is wanted. */
export function isChosen(name: string, only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(name)
}

export function markdown({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return `${title}\n\n${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}\n`
}
