/**
 * Whose risks are counted at scoring: all answers of a deployment with outcomes, but for calls that say that no outcome will come of them,
 * and what people try on the page.
 */
import type { Deployment } from '@patient-risk/catalog'
import { monthOfDay } from '@patient-risk/monitor'
import { invalid } from '@patient-risk/runtime'
import { ScoredRisks } from '../../store/outcomes/scored-risks.ts'
import type { RequestContext } from '../request/request-context.ts'

/** Notes the group that the caller names, before the body is read. Throws for a group that is not configured. */
export function noteScores(context: RequestContext, deployment: Deployment): void {
  const { headers } = context.raw
  const { outcomes } = deployment
  const group = groupIn(headers['risk-group'], outcomes?.groups)
  const wanted = headers['risk-outcomes']
  if (wanted !== undefined && wanted !== 'no' && wanted !== 'yes')
    throw invalid('The header "Risk-Outcomes" takes no (no outcome will come of these scores) or yes.')
  if (outcomes === undefined || wanted === 'no' || isFromPage(context)) return
  context.scoreGroup = group
}

/** Counts the risks of an answer, in place of those of an earlier try; or, of a stream, more of them. */
export function countScores(
  context: RequestContext,
  deployment: Deployment,
  today: number,
  risks: Iterable<number>,
  isMore = false,
): void {
  const { scoreGroup: group } = context
  if (group === undefined) return
  if (!isMore || context.scoredRisks === undefined) context.scoredRisks = scoredIn(deployment, today, group)
  context.scoredRisks.addAll(risks)
}

/** Where risks are counted that a deployment gives on a day. */
export function scoredIn({ name, digest, output }: Deployment, today: number, group: string): ScoredRisks {
  const yesFrom = output.kind === 'yes-no' ? output.threshold : undefined
  return new ScoredRisks({ deployment: name, digest, month: monthOfDay(today), group, yesFrom })
}

/** Browsers set this header, and pages of other origins cannot. */
function isFromPage({ raw }: RequestContext): boolean {
  return raw.headers['sec-fetch-site'] === 'same-origin'
}

/** Headers have no other letters than those of ISO 8859-1, so a name may be written as UTF-8, or with percent signs. */
function groupIn(given: string | string[] | undefined, groups: readonly string[] = []): string {
  if (given === undefined) return ''
  const written = String(given)
  const forms = [written, Buffer.from(written, 'latin1').toString('utf8'), decoded(written)]
  const group = groups.find((each) => forms.includes(each))
  if (group === undefined)
    throw invalid('The header "Risk-Group" names no group of the configuration of this deployment.')
  return group
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
