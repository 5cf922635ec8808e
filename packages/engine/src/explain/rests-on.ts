/** What goes with an answer: why the record got its risk, its scales, what a reader should know, and the range over what is missing. */
import type { ChosenBands } from '../definition/band-schemes.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { RecordResult } from '../answer/assess.ts'
import type { FeedNotice } from '../answer/feed-notice.ts'
import type { Definitions, Plan } from '../plan/plan.ts'
import type { Slots } from '../plan/slots.ts'
import type { CompiledModel } from '../score/model.ts'
import { feedNotices } from './feed-notices.ts'
import { type Explanation, compileExplanation } from './explain.ts'
import { CONTRIBUTIONS_NOT_COMPUTED, type Notice, RANGE_NOT_COMPUTED, compileNotices } from './notices.ts'
import type { NoticeOptions } from '../rules/notice-rules.ts'
import { type RiskRange, compileRange } from './range.ts'
import { type ScaleState, compileScaleStates } from './scale-states.ts'
import type { WorkBudget } from '../work-meter.ts'
import { type Words, phraseIn } from '../words/words.ts'
import { bandsIn, labelsIn } from './in-words.ts'

export interface RestsOn {
  /** Why the record got its risk; null where it got none. */
  readonly explanation: Explanation | null
  /** The scales that the record gives something of. */
  readonly scales: readonly ScaleState[]
  readonly notices: readonly Notice[]
  /** The lowest and highest risk over what is missing; null where nothing is, and with a notice where it would take too much work. */
  readonly range: RiskRange | null
}

/**
 * Finds what an answer rests on, or only these parts of it. The notices name the parts that were asked for and take too much work. The
 * budget may stop it by throwing. `feed` are the doubts about what the sender of the record sends.
 */
export type FindRestsOn<Given extends readonly unknown[]> = <Part extends keyof RestsOn = keyof RestsOn>(
  ...args: [
    ...Given,
    parts?: readonly Part[],
    budget?: WorkBudget,
    feed?: readonly FeedNotice[],
    words?: Words,
  ]
) => Pick<RestsOn, Part>

const ALL_PARTS: readonly (keyof RestsOn)[] = ['explanation', 'scales', 'notices', 'range']

interface RestsOnOptions extends NoticeOptions {
  /** Where the answer changes from No to Yes; undefined where it is a number. */
  readonly threshold: number | undefined
  /** The schemes of bands in place of the default ones. */
  readonly bands?: ChosenBands | undefined
}

/** Compiles it for a deployment. The slots are those of the record that was assessed last, and stay as they are. */
export function compileRestsOn(
  definitions: Definitions,
  plan: Plan,
  model: ModelDefinition,
  compiled: CompiledModel,
  options: RestsOnOptions,
): FindRestsOn<[slots: Slots, result: RecordResult, today: number]> {
  const explain = compileExplanation(plan, model, compiled)
  const range = compileRange(plan, model, compiled)
  const scales = compileScaleStates(plan, definitions, options.bands)
  const notices = compileNotices(definitions, plan, model, options)
  return <Part extends keyof RestsOn>(
    slots: Slots,
    result: RecordResult,
    today: number,
    parts?: readonly Part[],
    budget?: WorkBudget,
    feed: readonly FeedNotice[] = [],
    words?: Words,
  ) => {
    const wanted: readonly (keyof RestsOn)[] = parts ?? ALL_PARTS
    const canBeRead = isRead(result)
    const explanation =
      wanted.includes('explanation') && !result.blocked ? explain(slots, result, budget) : null
    const ranged =
      wanted.includes('range') && canBeRead ? range(slots, result, options.threshold, budget) : null
    const notComputed: Notice[] = []
    if (ranged === 'too much work') notComputed.push(RANGE_NOT_COMPUTED)
    // With a typical patient to compare with, only the work can be why they are missing.
    if (explanation?.contributions === null && explanation.reference !== null)
      notComputed.push(CONTRIBUTIONS_NOT_COMPUTED)
    const find: { readonly [Each in keyof RestsOn]: () => RestsOn[Each] } = {
      explanation: () => explanation && labelsIn(words, explanation),
      scales: () => (canBeRead ? bandsIn(words, scales(slots)) : []),
      notices: () =>
        canBeRead
          ? [
              ...notices(slots, today, words),
              ...feedNotices(plan, slots, feed, words),
              ...notComputed.map((each) => translated(words, each)),
            ]
          : [],
      range: () => (ranged === 'too much work' ? null : ranged),
    }
    const found = wanted.map((part) => [part, find[part]()])
    return Object.fromEntries(found) as Pick<RestsOn, Part>
  }
}

/** A record that is refused as a whole was not read to its end. */
function isRead({ problems }: RecordResult): boolean {
  return !problems.some(({ field }) => field === 'record')
}

function translated(words: Words | undefined, notice: Notice): Notice {
  return words === undefined ? notice : { ...notice, text: phraseIn(words, notice.text) }
}
