/** What the alarm and the counts say, as sentences. Each says since when, in which direction, how much, and what cannot be noticed. */
import type { AlarmFinding, EventBounds, Reach } from '@patient-risk/statistics'
import type { AlarmWords, OpenAlarm, Verdict } from './performance-report.ts'

const SEASON =
  'If the same months differ each year, it is a season: the yearly mean may still be right, the risks of these months are not.'

export function wordsOf({ since, ...finding }: AlarmFinding): AlarmWords {
  return { ...finding, from: since, text: `${findingText({ since, ...finding })} ${SEASON}` }
}

function findingText(finding: AlarmFinding): string {
  const { direction, since, about, scored, expected, least, most } = finding
  const whom = about === 'all' ? '' : ' of those with a higher risk'
  const isMore = direction === 'more' || direction === 'tooNarrow'
  // The bound that speaks against the alarm: whatever is not known, it is at least so far off.
  const bound = isMore ? `at least ${inHundred(least, scored)}` : `at most ${inHundred(most, scored)}`
  const happened = least === most ? inHundred(least, scored) : bound
  const what = `${isMore ? 'more' : 'fewer'} patients had the event than their risks say`
  const size = `${happened} of 100${whom} where ${inHundred(expected, scored)} were expected`
  const spread =
    about === 'all' ? '' : ` The risks are ${direction === 'tooExtreme' ? 'too extreme' : 'too narrow'}.`
  return `Since ${since} ${what}: ${size} (${least === most ? least : `${least} to ${most}`} of ${scored}).${spread}`
}

/** What can be noticed while so many outcomes are not known. */
export function reachText({ unknown, tooLow, tooHigh }: EventBounds): string {
  const one = (name: string, reach: Reach): string => {
    const answer = reach.canNotice ? 'yes' : 'no'
    return `Can notice risks ${name} (× ${reach.times}): ${answer}, ${percent(unknown)} of outcomes are not known and up to ${percent(reach.unknownAtMost)} may be.`
  }
  return `${one('too low', tooLow)} ${one('too high', tooHigh)}`
}

interface VerdictParts {
  readonly outcomes: number
  /** That of everybody first. */
  readonly alarms: readonly Pick<OpenAlarm, 'group' | 'month' | 'finding'>[]
  /** Whether enough outcomes of the months behind the bounds are known. */
  readonly isShown: boolean
  readonly bounds: EventBounds | null
  /** Those behind the bounds. */
  readonly judgedMonths: number
  /** The last month that does not count any more; empty where no alarm was acknowledged. */
  readonly acknowledged: string
}

/** One sentence for who answers for the deployment. */
export function verdictOf(parts: VerdictParts): Verdict {
  const { outcomes, alarms, isShown, bounds, judgedMonths, acknowledged } = parts
  const [first] = alarms
  if (first !== undefined) {
    const { group, month, finding } = first
    const where = group === null ? 'here' : `in ${group}`
    const known = finding?.text ?? `The outcomes up to ${month} raised it.`
    return { kind: 'alarm', text: `An alarm is open: the risks no longer fit ${where}. ${known}` }
  }
  if (outcomes === 0)
    return { kind: 'noOutcomes', text: 'Nobody can say: no outcome has come of a complete month.' }
  if (bounds === null && acknowledged !== '')
    return {
      kind: 'acknowledged',
      text: `Nobody can say yet: an alarm was acknowledged, and no month after ${acknowledged} has been judged.`,
    }
  if (bounds === null)
    return {
      kind: 'notCounted',
      text: 'There is no alarm: in no complete month were patients counted when they were scored.',
    }
  if (!isShown) return { kind: 'tooFew', text: 'Nobody can say yet: too few outcomes are known.' }
  const { scored, expected, least, most, tooLow, tooHigh } = bounds
  const range = least === most ? String(least) : `${least} to ${most}`
  const since = acknowledged === '' ? '' : ` after ${acknowledged}, when an alarm was acknowledged`
  const text = `No sign that the risks are wrong in ${counted(judgedMonths, 'month')}${since}: ${range} of ${scored} patients had the event where ${Math.round(expected)} were expected.`
  if (tooLow.canNotice && tooHigh.canNotice) return { kind: 'quiet', text }
  return { kind: 'quietBlind', text: `${text} But too many outcomes are missing. ${reachText(bounds)}` }
}

function counted(number: number, name: string): string {
  return number === 1 ? `1 ${name}` : `${number} ${name}s`
}

function inHundred(number: number, of: number): string {
  const share = (100 * number) / of
  return share < 10 ? share.toFixed(1) : String(Math.round(share))
}

function percent(share: number): string {
  const shown = 100 * share
  return `${shown > 0 && shown < 10 ? shown.toFixed(1) : Math.round(shown)} %`
}
