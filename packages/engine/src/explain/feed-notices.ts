/** Notices on fields of a sender's feed that probably mean something else. Whoever watches the feed says which: see `RecordWatch`. */
import type { FeedNotice } from '../answer/feed-notice.ts'
import { codedValues } from '../plan/codes.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { type Words, sentenceIn } from '../words/words.ts'
import type { Notice } from './notices.ts'

/** The notices on a record that carries these fields. Only fields that the model uses have one. */
export function feedNotices(
  plan: Plan,
  slots: Slots,
  feed: readonly FeedNotice[],
  words?: Words,
): readonly Notice[] {
  return feed.flatMap(({ field, text, said, codes }): Notice[] => {
    const slot = plan.slotByName.get(field)
    if (slot === undefined || !plan.isNeeded(slot) || !isGiven(slots, slot)) return []
    if (codes !== undefined && !isOneOf(codes, plan.fields[slot] as FieldPlan, slots, slot)) return []
    return [
      { code: 'feed-doubt', field, text: words === undefined ? text : sentenceIn(words, said ?? { text }) },
    ]
  })
}

function isGiven(slots: Slots, slot: number): boolean {
  const state = slots.stateOf(slot)
  return state !== STATE.absent && state !== STATE.assumed && state !== STATE.computed
}

function isOneOf(codes: readonly string[], field: FieldPlan, slots: Slots, slot: number): boolean {
  const values = codedValues(field.ownDomain)
  return slots.isUsable(slot) && codes.some((code) => values?.get(code) === slots.valueOf(slot))
}
