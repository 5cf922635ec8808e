/** A doubt about a field as one sentence for people: what was noticed, and what to check. It never names a single cause as certain. */
import type { FeedNotice } from 'patient-risk-engine'
import { ambiguousCodes } from '../feeds/foreign-codes.ts'
import type { DoubtKind, FeedDoubt } from '../feeds/feed-doubt.ts'

type Words = (doubt: FeedDoubt) => string

const TEXTS: Readonly<Record<DoubtKind, Words>> = {
  unit: ({ received = 'the declared unit', likely }) =>
    `its values do not look like values in ${received}${likely === undefined ? '' : `; they may be in ${likely}`}. Check the unit, and whether it is another quantity`,
  quantity: () => 'its values look like those of another quantity. Check which column or result is sent here',
  period: () =>
    'its values look like those of another period, or count something else too. Check what is counted, and since when',
  codes: ({ field }) => {
    const ambiguous = ambiguousCodes(field)
    const which = ambiguous.length === 0 ? 'its codes' : ambiguous.map((code) => `"${code}"`).join(', ')
    return `this sender also writes codes of another convention, where ${which} may mean something else. State what each code means in \`codes\``
  },
  share: () => 'a value comes in another share of the records than is usual. Check what it stands for',
  'missing-code': () =>
    'many values equal a number that systems write where a value is missing. Send no value there',
  constant: () =>
    'it is the same in almost every record. Check whether it is a default of the sending system',
  copied: () => 'it is almost always equal to another field. Check whether one was copied to the other',
  repeated: () => 'records come again with another idx. Check how the list was made',
  digits: () => 'its values are rounded more than is usual. Check whether they are estimated or cut off',
  limit: () => 'its values end at a limit. Check whether the sending system caps them',
  misaligned: () =>
    'it does not go with the other fields of its record. Check whether rows or columns were shifted',
  format: () =>
    'its values are written in another form than they are read. Check dates, decimal signs and texts',
  missing: () => 'it is missing in almost every record, or suddenly so. Check whether it is still sent',
  selective: () =>
    'its problems strike one kind of patient, so that the others alone are scored. Check what is refused',
}

export function doubtText(doubt: FeedDoubt): string {
  return `${doubt.field}: ${TEXTS[doubt.doubt](doubt)}.`
}

/** How answers to explain say it, in each record that it is about. */
export function noticeOf(doubt: FeedDoubt): FeedNotice {
  const { field } = doubt
  const codes = doubt.doubt === 'codes' ? ambiguousCodes(field) : []
  const text = `Of this sender, ${doubtText(doubt)}`
  return { field, text, ...(codes.length > 0 && { codes }) }
}
