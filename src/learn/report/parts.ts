/** Pieces of a report's page: tables, tiles and numbers as they are printed. */
import type { Estimate } from '../figures/predictions.ts'
import { percent, whole } from '../model/texts.ts'
import { escapeText } from './chart.ts'

export function figure(value: number | undefined, decimals: number): string {
  if (value === undefined || !Number.isFinite(value)) return '–'
  const text = value.toFixed(decimals)
  // What rounds to nothing has no sign.
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}

export function interval({ from, to }: Pick<Estimate, 'from' | 'to'>, decimals: number): string {
  return `${figure(from, decimals)} to ${figure(to, decimals)}`
}

export function share(value: number, decimals = 1): string {
  return Number.isFinite(value) ? percent(value, decimals) : '–'
}

export function tile(title: string, value: string, note: string): string {
  return `<div class="tile"><span>${escapeText(title)}</span><b>${escapeText(value)}</b><span>${escapeText(note)}</span></div>`
}

/** Cells hold finished HTML; texts from data are escaped by the caller. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  classOf: (row: number) => string = () => '',
): string {
  const cells = (row: readonly string[], tag: 'th' | 'td'): string =>
    row.map((cell) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}>${cell}</${tag}>`).join('')
  const body = rows
    .map((row, index) => {
      const name = classOf(index)
      return `<tr${name === '' ? '' : ` class="${name}"`}>${cells(row, 'td')}</tr>`
    })
    .join('\n')
  const title = caption === '' ? '' : `<caption>${escapeText(caption)}</caption>`
  return `<div class="scroll"><table>${title}<thead><tr>${cells(head, 'th')}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

export { escapeText, whole }
