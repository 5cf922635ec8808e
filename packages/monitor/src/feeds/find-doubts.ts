/** What the counts of a feed, or of a file, say about its fields: all questions, and one doubt for each field. */
import type { FeedCounts } from './feed-counts.ts'
import type { DoubtKind, FeedDoubt } from './feed-doubt.ts'
import { Evidence, type Finding, LIGHT, RANK } from './rules/evidence.ts'
import { askAbsent, askForm } from './rules/form-rules.ts'
import { askNumbers } from './rules/number-rules.ts'
import { askOrder } from './rules/order-rules.ts'
import { askPairs } from './rules/pair-rules.ts'
import { askPast } from './rules/past-rules.ts'
import { askShares } from './rules/share-rules.ts'

/** Right files may hold records twice, of patients who were sent again. */
const MOST_DUPLICATES = 0.3
/** Records whose idx is refused. */
const MOST_WRONG_IDX = 0.05
/** Place of the idx among findings: it has no slot. */
const IDX = -1

/** Doubts of one look at counts, at most one for each field. `level` is the probability that right counts raise any. `past`
 * are the feed's own first records. */
export function findDoubts(counts: FeedCounts, level: number, past?: FeedCounts): readonly FeedDoubt[] {
  const evidence = new Evidence()
  counts.fields.forEach((own, place) => {
    const field = counts.plan.fields[place]
    if (own === undefined || field === undefined) return
    askForm(evidence, place, field, own)
    const highest = counts.highest[place] as number
    askNumbers(evidence, place, field, own, { highest, hasPast: past !== undefined })
    askShares(evidence, place, field, own)
    askOrder(evidence, place, field, own)
  })
  askAbsent(evidence, counts)
  askPairs(evidence, counts)
  if (past !== undefined) askPast(evidence, past, counts)
  evidence.most(counts.duplicates, counts.comparable, MOST_DUPLICATES, {
    places: [IDX],
    doubt: 'repeated',
    rank: RANK.form,
    weight: LIGHT,
  })
  evidence.most(counts.wrongIdx, counts.received, MOST_WRONG_IDX, {
    places: [IDX],
    doubt: 'format',
    rank: RANK.form,
    weight: LIGHT,
  })
  return oneForEach(evidence.beyond(level), (place) => counts.plan.fields[place]?.name ?? 'idx', counts)
}

/** The first that explains a field is the one that is said: what concerns it alone before what concerns two. */
function oneForEach(
  findings: readonly Finding[],
  nameOf: (place: number) => string,
  { plan }: FeedCounts,
): readonly FeedDoubt[] {
  const chosen = new Map<number, Finding>()
  const alone = findings.filter(({ places }) => places.length === 1)
  for (const finding of [...alone].sort(byWeight)) {
    const [place = IDX] = finding.places
    if (!chosen.has(place)) chosen.set(place, finding)
  }
  const pairs = findings.filter(
    ({ places }) => places.length > 1 && !places.some((place) => chosen.has(place)),
  )
  for (const place of namedBy(pairs)) {
    const finding = pairs.find(({ places }) => places.includes(place))
    if (finding !== undefined) chosen.set(place, finding)
  }
  return [...chosen].map(([place, finding]) => {
    const { likely } = finding
    const doubt = kindOf(finding, plan.fields[place]?.kind)
    const unit = plan.fields[place]?.unit
    const received = unit === undefined || doubt !== 'unit' ? {} : { received: unit.received }
    return { field: nameOf(place), doubt, ...received, ...(likely === undefined ? {} : { likely }) }
  })
}

function byWeight(one: Finding, other: Finding): number {
  return one.rank - other.rank || other.evidence - one.evidence
}

/** A code that goes with the wrong patients stands for another one. */
function kindOf({ doubt, isInverted }: Finding, kind: string | undefined): DoubtKind {
  const isCode = kind === 'code' || kind === 'yesNo'
  return isInverted === true && isCode ? 'codes' : doubt
}

/** A field that breaks several pairs is named for them; the two of a pair alone are both named. */
function namedBy(pairs: readonly Finding[]): ReadonlySet<number> {
  const broken = new Map<number, number>()
  for (const { places } of pairs) for (const place of places) broken.set(place, (broken.get(place) ?? 0) + 1)
  const named = new Set<number>()
  for (const { places } of pairs) {
    const most = Math.max(...places.map((place) => broken.get(place) ?? 0))
    for (const place of places) if (broken.get(place) === most) named.add(place)
  }
  return named
}
