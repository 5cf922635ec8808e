/** A doubt about a field as one sentence for people: what was noticed, and what to check. It never names a single cause as certain. */
import type { FeedNotice } from 'patient-risk-engine'
import { DOUBT_SENTENCES, type Sentence, inEnglish } from 'patient-risk-engine/words'
import { ambiguousCodes } from '../feeds/foreign-codes.ts'
import type { DoubtKind, FeedDoubt } from '../feeds/feed-doubt.ts'

const PLAIN: Readonly<Record<Exclude<DoubtKind, 'unit' | 'codes'>, string>> = {
  quantity: DOUBT_SENTENCES.quantity,
  period: DOUBT_SENTENCES.period,
  share: DOUBT_SENTENCES.share,
  'missing-code': DOUBT_SENTENCES.missingCode,
  constant: DOUBT_SENTENCES.constant,
  copied: DOUBT_SENTENCES.copied,
  repeated: DOUBT_SENTENCES.repeated,
  digits: DOUBT_SENTENCES.digits,
  limit: DOUBT_SENTENCES.limit,
  misaligned: DOUBT_SENTENCES.misaligned,
  format: DOUBT_SENTENCES.format,
  missing: DOUBT_SENTENCES.missing,
  selective: DOUBT_SENTENCES.selective,
}

/** What was noticed and what to check, after the field. */
function sentenceOf({ doubt, field, received, likely }: FeedDoubt): Sentence {
  if (doubt === 'unit') {
    const parts = { received: received ?? { phrase: DOUBT_SENTENCES.declaredUnit } }
    if (likely === undefined) return { text: DOUBT_SENTENCES.unit, parts }
    return { text: DOUBT_SENTENCES.unitLikely, parts: { ...parts, likely } }
  }
  if (doubt !== 'codes') return { text: PLAIN[doubt] }
  const ambiguous = ambiguousCodes(field).map((code) => `"${code}"`)
  if (ambiguous.length === 0) return { text: DOUBT_SENTENCES.otherCodes }
  return { text: DOUBT_SENTENCES.codes, parts: { codes: ambiguous.join(', ') } }
}

export function doubtText(doubt: FeedDoubt): string {
  return `${doubt.field}: ${inEnglish(sentenceOf(doubt))}.`
}

/** How answers to explain say it, in each record that it is about. */
export function noticeOf(doubt: FeedDoubt): FeedNotice {
  const { field } = doubt
  const codes = doubt.doubt === 'codes' ? ambiguousCodes(field) : []
  const parts = { field: { field }, doubt: { sentence: sentenceOf(doubt) } }
  const said = { text: DOUBT_SENTENCES.ofSender, parts }
  return { field, text: inEnglish(said), said, ...(codes.length > 0 && { codes }) }
}
