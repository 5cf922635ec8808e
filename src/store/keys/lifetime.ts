/** Lengths of time as people write them: 30m, 12h, 90d. */
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const LIFETIME_PATTERN = '^[0-9]{1,5}[smhd]$'

/** In milliseconds, or undefined for words that are no length of time. */
export function parseLifetime(text: string): number | undefined {
  const match = /^(\d{1,5})([smhd])$/.exec(text)
  const unit = UNIT_MS[match?.[2] ?? '']
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit
}
