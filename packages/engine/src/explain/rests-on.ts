/** What goes with an answer: why the record got its risk, its scales, what a reader should know, and the range over what is missing. */
import type { ChosenBands } from '../definition/band-schemes.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { RecordResult } from '../answer/assess.ts'
import type { Definitions, Plan } from '../plan/plan.ts'
import type { Slots } from '../plan/slots.ts'
import type { CompiledModel } from '../score/model.ts'
import { type Explanation, compileExplanation } from './explain.ts'
import { type Notice, type NoticeOptions, compileNotices } from './notices.ts'
import { type RiskRange, compileRange } from './range.ts'
import { type ScaleState, compileScaleStates } from './scale-states.ts'

export interface RestsOn {
  /** Why the record got its risk; null where it got none. */
  readonly explanation: Explanation | null
  /** The scales that the record gives something of. */
  readonly scales: readonly ScaleState[]
  readonly notices: readonly Notice[]
  /** The lowest and highest risk over what is missing; null where nothing is. */
  readonly range: RiskRange | null
}

/** Finds what an answer rests on, or only these parts of it. */
export type FindRestsOn<Given extends readonly unknown[]> = <Part extends keyof RestsOn = keyof RestsOn>(
  ...args: [...Given, parts?: readonly Part[]]
) => Pick<RestsOn, Part>

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
): FindRestsOn<[slots: Slots, outcome: RecordResult, today: number]> {
  const explain = compileExplanation(plan, model, compiled)
  const range = compileRange(definitions, plan, model, compiled)
  const scales = compileScaleStates(plan, definitions, options.bands)
  const notices = compileNotices(definitions, plan, model, options)
  type Find<Part extends keyof RestsOn> = (
    slots: Slots,
    outcome: RecordResult,
    today: number,
  ) => RestsOn[Part]
  const find: { readonly [Part in keyof RestsOn]: Find<Part> } = {
    explanation: (slots, outcome) => (outcome.blocked ? null : explain(slots, outcome)),
    scales: (slots, outcome) => (isRead(outcome) ? scales(slots) : []),
    notices: (slots, outcome, today) => (isRead(outcome) ? notices(slots, today) : []),
    range: (slots, outcome) => (isRead(outcome) ? range(slots, outcome, options.threshold) : null),
  }
  return <Part extends keyof RestsOn>(
    slots: Slots,
    outcome: RecordResult,
    today: number,
    parts?: readonly Part[],
  ) => {
    const wanted: readonly (keyof RestsOn)[] = parts ?? ['explanation', 'scales', 'notices', 'range']
    const found = wanted.map((part) => [part, find[part](slots, outcome, today)])
    return Object.fromEntries(found) as Pick<RestsOn, Part>
  }
}

/** A record that is refused as a whole was not read to its end. */
function isRead({ problems }: RecordResult): boolean {
  return !problems.some(({ field }) => field === 'record')
}
