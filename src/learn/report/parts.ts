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
  // The sign stays on the line of its figure.
  return Number.isFinite(value) ? percent(value, decimals).replace(' ', '\u00a0') : '–'
}

export function tile(title: string, value: string, note: string): string {
  return `<div class="tile"><span>${escapeText(title)}</span><b>${escapeText(value)}</b><span>${escapeText(note)}</span></div>`
}

const MOST_FEW = 4
/** Tables with so many columns are set smaller, so that they fit the page. */
const FEWEST_WIDE = 9

/** Cells hold finished HTML; texts from data are escaped by the caller. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  classOf: (row: number) => string = () => '',
): string {
  const heads = head.map((cell) => `<th scope="col">${cell}</th>`).join('')
  const body = rows
    .map(([first = '', ...others], index) => {
      const name = classOf(index)
      const cells = others.map((cell) => `<td>${cell}</td>`).join('')
      return `<tr${name === '' ? '' : ` class="${name}"`}><th scope="row">${first}</th>${cells}</tr>`
    })
    .join('\n')
  const title = caption === '' ? '' : `<caption>${escapeText(caption)}</caption>`
  // A figure far from its name is hard to read, so a table of few columns is not stretched.
  const size = head.length <= MOST_FEW ? ' class="few"' : head.length >= FEWEST_WIDE ? ' class="wide"' : ''
  return `<div class="scroll"><table${size}>${title}<thead><tr>${heads}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

export { escapeText, whole }
