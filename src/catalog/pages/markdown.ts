/** The few shapes of Markdown that a page is made of. Tables are padded, so that they read well as plain text too. */

/** Longer cells would pad a whole column with space; they stand unpadded. */
const WIDEST = 60

/** Empty where there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const cells = [head, ...rows].map((row) => row.map(cell))
  const widths = head.map((_, column) =>
    Math.max(3, ...cells.map((row) => row[column]?.length ?? 0).filter((width) => width <= WIDEST)),
  )
  const print = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`
  const [first = [], ...rest] = cells
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [print(first), rule, ...rest.map(print)].join('\n')
}

/** A table of facts about one thing: a word and what it is. Facts that are not known are left out. */
export function facts(pairs: readonly (readonly [string, string | undefined])[]): string {
  const known = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined)
  return table(['', ''], known)
}

export function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

/** The parts of a page, without the empty ones, a line apart. */
export function page(parts: readonly (string | undefined)[]): string {
  return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`
}

/** A heading with what stands under it, or nothing where there is nothing to say. */
export function section(title: string, ...parts: readonly (string | undefined)[]): string | undefined {
  const said = parts.filter((part) => part !== undefined && part !== '')
  return said.length === 0 ? undefined : [`## ${title}`, ...said].join('\n\n')
}

/** The texts that are not empty, a space apart. */
export function sentence(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join(' ')
}

/** A warning that nobody can overlook. */
export function warning(text: string): string {
  return `> **Not verified.** ${text}`
}

export function percent(risk: number): string {
  return `${Number((risk * 100).toFixed(2))} %`
}

/** A column break or a line break inside a cell would tear the table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
