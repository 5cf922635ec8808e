/** What of the answers to lines depends on the day, found in their bytes: reading them again as JSON would take longer than scoring. */
import type { Catalog } from '@patient-risk/catalog'
import { type DaysRead, FUTURE_DATE } from '../summary.ts'

/** What stands at the end of every name that is a date, with the quote after it; undefined where no field is a date. */
export function dateEnding({ domains }: Pick<Catalog, 'domains'>): string | undefined {
  const names = [...domains].filter(([, { kind }]) => kind === 'date').map(([name]) => name)
  const [first] = names
  if (first === undefined) return undefined
  let ending = first
  while (!names.every((name) => name.endsWith(ending))) ending = ending.slice(1)
  return `${ending}"`
}

/** `lines` have our names. A name that is written with escapes may be that of any field. */
export function daysIn(lines: Uint8Array, results: Uint8Array, ending: string | undefined): DaysRead {
  if (ending === undefined) return NO_DAYS
  const text = bufferOf(lines)
  const hasDates = text.includes(ending) || text.includes('\\')
  return { hasDates, hasFutureDates: hasDates && bufferOf(results).includes(FUTURE_DATE) }
}

export const NO_DAYS: DaysRead = { hasDates: false, hasFutureDates: false }

export function bothDays(one: DaysRead, other: DaysRead): DaysRead {
  return {
    hasDates: one.hasDates || other.hasDates,
    hasFutureDates: one.hasFutureDates || other.hasFutureDates,
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
