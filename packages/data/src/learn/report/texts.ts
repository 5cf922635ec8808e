/** Numbers as cards, reports and the command line write them, and texts with names in braces. */

export type Texts = Readonly<Record<string, unknown>>

/** Nobody flagged has no predictive value, and a perfect separation has no slope. */
export function decimal(value: number, decimals: number): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : 'not defined'
}

/** A number that rounds to 0 has no sign. */
export function signed(value: number, decimals: number): string {
  const text = value.toFixed(decimals)
  return Number(text) === 0 ? text.replace('-', '') : text
}

export function integer(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

export function percent(share: number, decimals: number): string {
  return `${(share * 100).toFixed(decimals)} %`
}

/** Replaces each name in braces by its text; a name with points leads into an object. */
export function fillIn(text: string, texts: Texts, unknown: (name: string) => string): string {
  return text.replaceAll(/\{([\w.]+)\}/g, (_braces, name: string) => {
    const found = name.split('.').reduce<unknown>((at, key) => (at as Texts | undefined)?.[key], texts)
    return (found as string | undefined) ?? unknown(name)
  })
}
