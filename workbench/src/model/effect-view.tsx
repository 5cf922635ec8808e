/** How each input counts: a curve where the effect is smooth, a table of points with bars where it comes in steps. */
import type { VNode } from 'preact'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { CurveView } from './curve-view.tsx'
import { curvesOf, isCurved, isOddsModel } from './effect.ts'
import { PointsView } from './points-view.tsx'

export function EffectView(props: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const { model, catalogue } = props
  return (
    <div class="effects">
      {curvesOf(model.terms).map((curve) => (
        <CurveView key={curve.field} curve={curve} model={model} />
      ))}
      {model.terms.flatMap((term, index) =>
        isCurved(term)
          ? []
          : [<PointsView key={index} term={term} catalogue={catalogue} isOdds={isOddsModel(model)} />],
      )}
    </div>
  )
}
