/** The few shapes of Markdown that a page is made of. Tables are padded, so that they read well as plain text too. */

/** Longer cells are not padded: they would make a whole column too wide. */
const WIDEST = 60

type Cell = string | number | undefined

/** Empty where there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return ''
  // A vertical bar or a line break inside a cell would break the table.
  const cell = (text: Cell): string =>
    String(text ?? '')
      .replaceAll('|', '\\|')
      .replaceAll('\n', ' ')
  const cells = [head, ...rows].map((row) => row.map(cell))
  const widths = head.map((_, column) =>
    Math.max(3, ...cells.map((row) => row[column]?.length ?? 0).filter((width) => width <= WIDEST)),
  )
  const print = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return cells.toSpliced(1, 0, rule).map(print).join('\n')
}

/** Facts in a word or two, a row each. */
export function facts(words: Readonly<Record<string, Cell>>): string {
  return table(['', ''], Object.entries(words))
}

export function list(lines: readonly string[] = []): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

type Parts = readonly (string | undefined)[]

/** What the further lines of a wrapped quote or list item begin with. */
function indentAfter(line: string): string {
  if (line.startsWith('> ')) return '> '
  return line.startsWith('- ') ? '  ' : ''
}

/** The parts as one text. Prose is wrapped at 140 columns, but not before a word that would start a list or a quote. */
export function page(parts: Parts): string {
  const wrap = (line: string): string => {
    const indent = indentAfter(line)
    return line.replace(/(?=.{139})(.{20,138}) (?![-+*>#]|\d+[.)])/g, `$1\n${indent}`)
  }
  const lines = paragraphs(...parts).split('\n')
  return `${lines.map((line) => (line.startsWith('|') ? line : wrap(line))).join('\n')}\n`
}

/** The parts that are not empty, a line apart. */
export function paragraphs(...parts: Parts): string {
  return joined('\n\n', ...parts)
}

export function section(title: string, ...parts: Parts): string {
  const content = paragraphs(...parts)
  return content && `## ${title}\n\n${content}`
}

export function joined(between: string, ...texts: Parts): string {
  return texts.filter((text) => text !== undefined && text !== '').join(between)
}

export function percent(risk: number): string {
  return `${Number((risk * 100).toFixed(2))} %`
}
