/** Feedback on cards: which card, what became of it, and a coded reason. A comment in free text is dropped unread. */
import { inside, isObject, listOf, textOf } from '../fhir/json.ts'
import { OVERRIDE_REASONS, REASON_SYSTEM, UUID, invalid } from './cards.ts'

const MOST = 100

/** What the audit says of the feedback. It holds no word of the caller's own. */
export function readFeedback(body: unknown): string {
  const feedback = listOf(inside(body, 'feedback'))
  if (feedback.length === 0 || feedback.length > MOST)
    throw invalid(`The body must hold 1 to ${MOST} elements in feedback.`)
  return feedback.map(describe).join(', ')
}

function describe(element: unknown): string {
  if (!isObject(element)) throw invalid('An element of feedback is not an object.')
  const card = textOf(element['card'])?.toLowerCase() ?? ''
  const { outcome } = element
  if (!UUID.test(card)) throw invalid('The card of feedback must be the UUID of a card.')
  if (outcome === 'accepted') return `${card} accepted`
  if (outcome !== 'overridden') throw invalid('The outcome of feedback must be accepted or overridden.')
  const reason = inside(element, 'overrideReason', 'reason')
  const code = inside(reason, 'system') === REASON_SYSTEM ? textOf(inside(reason, 'code')) : undefined
  if (code === undefined) return `${card} overridden`
  return `${card} overridden ${Object.hasOwn(OVERRIDE_REASONS, code) ? code : 'other'}`
}
