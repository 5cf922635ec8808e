/** Questions about what of a field is refused, what never comes, and what was never refused. */
import { CELL, CODE_BINS, type FeedCounts } from '../feed-counts.ts'
import type { FeedFieldPlan } from '../feed-plan.ts'
import { type Evidence, LIGHT, RANK } from './evidence.ts'

/** In right feeds at most these shares of the values of a field are refused. */
const WRONG_FORM = 0.05
const WRONG_CODE = 0.04
const OUT_OF_RANGE = 0.02
const WRONG_SUM = 0.1
/** Such a number is no typing error: the same one comes again and again. */
const MISSING_OUTSIDE = 0.0002
const OLD_DATE = 0.02
/** Nor are texts such as `NA`; a few typing errors may look like one. */
const MISSING_TEXT = 0.02
/** In right feeds an input that the model requires is absent in at most this share. */
const ABSENT = 0.4
/** Values of one kind are taken, and nearly all others refused. */
const SELECTIVE = 0.97

export function askForm(evidence: Evidence, place: number, field: FeedFieldPlan, counts: Uint32Array): void {
  const given = counts[CELL.given] as number
  const places = [place]
  const wrongForm = counts[CELL.wrongForm] as number
  const wrongCode = counts[CELL.wrongCode] as number
  const isSelective = takesOneKind(field, counts, wrongForm + wrongCode)
  const isNumber = field.kind !== 'code' && field.kind !== 'yesNo'
  evidence.most(wrongForm, given, WRONG_FORM, {
    places,
    doubt: isSelective ? 'selective' : 'format',
    rank: RANK.form,
    weight: LIGHT,
  })
  evidence.most(wrongCode, given, WRONG_CODE, {
    places,
    doubt: isSelective ? 'selective' : 'codes',
    rank: RANK.form,
    weight: LIGHT,
  })
  evidence.most(counts[CELL.missingText] as number, given, MISSING_TEXT, {
    places,
    doubt: 'missing-code',
    rank: RANK.form,
    weight: LIGHT,
  })
  if (isNumber) {
    const isCode = (counts[CELL.missingOutside] as number) * 2 > (counts[CELL.outOfRange] as number)
    const missing = counts[CELL.missingOutside] as number
    const outside = counts[CELL.outOfRange] as number
    const likely = 'another unit, or another quantity'
    if (isCode)
      evidence.most(missing, given, MISSING_OUTSIDE, {
        places,
        doubt: 'missing-code',
        rank: RANK.code,
        weight: LIGHT,
      })
    else
      evidence.most(outside, given, OUT_OF_RANGE, {
        places,
        doubt: 'quantity',
        likely,
        rank: RANK.level,
        weight: LIGHT,
      })
    evidence.most(counts[CELL.wrongSum] as number, given, WRONG_SUM, {
      places,
      doubt: 'quantity',
      rank: RANK.level,
      weight: LIGHT,
    })
  }
  if (field.kind === 'date')
    evidence.most(counts[CELL.oldDate] as number, given, OLD_DATE, {
      places,
      doubt: 'missing-code',
      rank: RANK.code,
      weight: LIGHT,
    })
}

/** Only one code, or only whole numbers where decimals are usual, are taken while others are refused. */
function takesOneKind({ kind, usual }: FeedFieldPlan, counts: Uint32Array, refused: number): boolean {
  const given = counts[CELL.given] as number
  const read = counts[CELL.read] as number
  if (read === 0 || refused < 0.05 * given) return false
  if (kind === 'decimal')
    return usual?.whole !== undefined && (counts[CELL.whole] as number) >= SELECTIVE * read
  if (kind !== 'code' && kind !== 'yesNo') return false
  const codes = counts.subarray(CELL.codes, CELL.codes + CODE_BINS)
  return Math.max(...codes) >= SELECTIVE * read
}

/** Inputs that the model requires and that do not come. */
export function askAbsent(evidence: Evidence, counts: FeedCounts): void {
  counts.plan.fields.forEach(({ isRequired }, place) => {
    if (!isRequired) return
    const given = counts.fields[place]?.[CELL.given] ?? 0
    evidence.most(counts.records - given, counts.records, ABSENT, {
      places: [place],
      doubt: 'missing',
      rank: RANK.form,
      weight: LIGHT,
    })
  })
}
