/** Numbers as the texts of cards, reports and the command line write them. */

/** Nobody flagged has no predictive value, and a perfect separation has no slope. */
export function known(value: number, decimals: number): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : 'not defined'
}

export function whole(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

export function percent(share: number, decimals: number): string {
  return `${(share * 100).toFixed(decimals)} %`
}
