/** Looks at the first records of a run for fields that are probably in another unit than the one declared. */
import { Assessor } from '../../engine/assess.ts'
import { makePlan } from '../../engine/plan.ts'
import { jsonIn } from '../../engine/read/body.ts'
import { UnitWatch, hintText } from '../../engine/score/likely-unit.ts'
import { compileModel } from '../../engine/score/model.ts'
import type { ScoreRun } from '../run.ts'
import { keyText } from './record-text.ts'

/** Enough for a median, and few enough to cost nothing beside the run. */
const MOST_RECORDS = 1_000
const decoder = new TextDecoder()

export function sampleUnits(run: ScoreRun): { add(chunk: Uint8Array): void; notes(): readonly string[] } {
  const { catalog, deployment, today, reading } = run
  const { definition } = deployment.model
  const { conversions, maxKeys } = deployment.scorerOptions
  const plan = makePlan(catalog.knowledge, definition, conversions)
  const watch = new UnitWatch({ plan, units: catalog.units, model: definition })
  const assessor = new Assessor(plan, compileModel(definition, plan))
  const rename = new Map([...reading.map].map(([ours, theirs]) => [theirs, ours]))
  let left = MOST_RECORDS
  return {
    add(chunk) {
      if (left === 0) return
      const lines = decoder.decode(chunk).split('\n', left)
      left -= lines.length
      for (const line of lines) {
        const record = jsonIn(keyText(line, rename, []).text)
        if (typeof record !== 'object' || record === null) continue
        // Nested values have no unit, and nobody has looked yet how deep they are.
        const flat = Object.entries(record).filter(([, value]) => typeof value !== 'object')
        assessor.assess(Object.fromEntries(flat), 0, { today, maxKeys, reportUnknown: false })
        watch.add(assessor.slots)
      }
    },
    notes: () => watch.hints().map(hintText),
  }
}
