/** What a server says of a search that failed, or gave a part of its result only. */
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../../remote/elements.ts'

/** Issues that say, as a warning too, that something was left out of a result. */
const PARTIAL = [
  'suppressed incomplete too-costly too-long throttled timeout transient not-supported not-found',
  'forbidden security login unknown expired exception no-store lock-error',
].flatMap((line) => line.split(' '))
const HARMLESS = ['information', 'warning', 'success']
/** A success, but for one that comes later or is a part. */
const WHOLE = /^2(?!02|06)/

/** Whether a resource is an OperationOutcome that says so. */
export function isFailure({ resourceType, issue }: Json): boolean {
  const isError = (each: unknown): boolean =>
    !HARMLESS.includes(textOf(inside(each, 'severity')) ?? '') ||
    PARTIAL.includes(textOf(inside(each, 'code')) ?? '')
  const issues = allOf(issue)
  return resourceType === 'OperationOutcome' && (issues.length === 0 || issues.some(isError))
}

/** Whether an entry says so, by its status or beside it. */
export function isFailedSearch(entry: unknown): boolean {
  // Some servers write the status as a number.
  const status = inside(entry, 'response', 'status')
  const isSuccess = (typeof status === 'string' || typeof status === 'number') && WHOLE.test(`${status}`)
  const outcome = inside(entry, 'response', 'outcome')
  return (status !== undefined && !isSuccess) || (isObject(outcome) && isFailure(outcome))
}
