/** Questions about what a feed sends now, compared with its own first records. */
import { CELL, CODE_BINS, type FeedCounts } from '../feed-counts.ts'
import { type Evidence, LIGHT, RANK } from './evidence.ts'

/** A right feed may move by so much: other seasons, other wards. Beyond it the error of the first records is allowed for. */
const MARGIN = 0.15
/** Standard errors of a share in the first records. One in five counts, since neighbours may be one patient. */
const ERRORS = 3.7
const PATIENTS = 1 / 5
const OTHER = 'another unit, or another quantity'

export function askPast(evidence: Evidence, past: FeedCounts, counts: FeedCounts): void {
  const ask = (
    place: number,
    [such, of]: readonly [number, number],
    [before, ofBefore]: readonly [number, number],
    about: { readonly doubt: 'missing' | 'share' | 'quantity' | 'period'; readonly likely?: string },
  ): void => {
    if (of === 0 || ofBefore === 0) return
    const share = before / ofBefore
    const room = MARGIN + ERRORS * Math.sqrt((share * (1 - share)) / (ofBefore * PATIENTS))
    const finding = { places: [place], rank: RANK.past, weight: LIGHT, ...about }
    if (share + room < 1) evidence.most(such, of, share + room, finding)
    if (share - room > 0) evidence.least(such, of, share - room, finding)
  }
  counts.plan.fields.forEach((field, place) => {
    const now = counts.fields[place]
    const then = past.fields[place]
    if (now === undefined && then === undefined) return
    const givenNow = now?.[CELL.given] ?? 0
    const givenThen = then?.[CELL.given] ?? 0
    ask(place, [givenNow, counts.records], [givenThen, past.records], { doubt: 'missing' })
    if (now === undefined || then === undefined) return
    const readNow = now[CELL.read] as number
    const readThen = then[CELL.read] as number
    if (field.kind === 'code' || field.kind === 'yesNo') {
      for (let cell: number = CELL.codes; cell < CELL.codes + CODE_BINS; cell++)
        ask(place, [now[cell] as number, readNow], [then[cell] as number, readThen], { doubt: 'share' })
    }
    const isPeriod = field.usual?.isPeriod === true
    let belowNow = 0
    let belowThen = 0
    for (let bin = 0; bin < field.cuts.length; bin++) {
      belowNow += now[CELL.bins + bin] as number
      belowThen += then[CELL.bins + bin] as number
      const about = isPeriod
        ? ({ doubt: 'period' } as const)
        : ({ doubt: 'quantity', likely: OTHER } as const)
      ask(place, [belowNow, readNow], [belowThen, readThen], about)
    }
  })
}
