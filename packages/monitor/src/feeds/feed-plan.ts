/** What is watched of the feeds of one deployment: each field by its slot, with the edges between which its values are counted. */
import type { FieldPlan, Plan, UnitSource } from 'patient-risk-engine'
import { type WatchedField, watchedFields } from '../units/feed-units.ts'

/** A field as a feed is watched for it. */
export interface FeedFieldPlan {
  readonly name: string
  readonly slot: number
  readonly kind: FieldPlan['domain']['kind']
  /** Whether the model uses it, or computes something that it uses from it. */
  readonly isNeeded: boolean
  /** Values are counted between these edges: a bin holds its lower edge, not its upper one. */
  readonly cuts: readonly number[]
  /** The field's units, where it has several. */
  readonly unit: WatchedField | undefined
}

export interface FeedPlan {
  readonly fields: readonly FeedFieldPlan[]
  /** The place of a field among `fields`, by its slot; −1 where it is not watched. */
  readonly placeOfSlot: Int32Array
  readonly placeOfName: ReadonlyMap<string, number>
}

export type FeedSource = Pick<UnitSource, 'units' | 'model'> & { readonly plan: Plan }

/** The plan of a deployment's feeds. Every field of the catalogue is watched, whether the model uses it or not. */
export function planFeed(source: FeedSource): FeedPlan {
  const { plan } = source
  const units = new Map(watchedFields(source).map((each) => [each.field, each]))
  const fields = plan.fields.map(({ name, domain }, slot): FeedFieldPlan => {
    const unit = units.get(name)
    return { name, slot, kind: domain.kind, isNeeded: plan.isNeeded(slot), cuts: cutsOf(unit), unit }
  })
  return {
    fields,
    placeOfSlot: Int32Array.from(fields, (_field, place) => place),
    placeOfName: new Map(fields.map(({ name }, place) => [name, place])),
  }
}

/** The geometric middles between the usual median and the same median in each other unit. */
function cutsOf(unit: WatchedField | undefined): readonly number[] {
  if (unit === undefined) return []
  return unit.others.map(([, ratio]) => unit.median * Math.sqrt(ratio)).sort((one, other) => one - other)
}
