/** The quick check of a file's shape says yes only where the schema library does, and says it of every right file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { schemaOf } from '../../src/files/check-shape.ts'
import { compileShape } from '../../src/files/fits-shape.ts'
import { readClinicalFolder } from '../../src/catalog/read-folder.ts'
import { treeModels } from '../engine/tree-models.ts'
import { CLINICAL_ROOT, testCatalog } from '../serve.ts'

const folder = readClinicalFolder(CLINICAL_ROOT)
const KINDS: Readonly<Record<string, readonly unknown[]>> = {
  fields: [folder.fields?.value],
  contradictions: [folder.contradictions?.value],
  scale: folder.scales.map(({ definition }) => definition?.value),
  'scale-cases': folder.scales.map(({ cases }) => cases?.value),
  model: [...folder.models.map(({ definition }) => definition?.value), ...treeModels(testCatalog())],
  'model-cases': folder.models.map(({ cases }) => cases?.value),
}
/** Values that a schema could mistake for right ones. */
const OTHERS: readonly unknown[] = [
  ...[null, true, '', 'x', 'F', 'line\nbreak', 0, -1, 0.25, 1e300, [], [1, 1], {}, { '': 1 }, { 'a\nb': 1 }],
  { kind: 'trees', combine: 'sum', trees: [[{ field: 'age', below: 1, then: 1, else: 2, or: 3 }, 0, 1]] },
]

for (const [kind, values] of Object.entries(KINDS)) {
  const schema = schemaOf(kind)
  const fits = compileShape(schema)
  test(`every ${kind} of the catalogue fits without the library`, () => {
    for (const value of values) assert.ok(fits(value))
  })

  test(`a changed ${kind} fits only if the library says so`, () => {
    const change = fc.record({
      which: fc.nat(values.length - 1),
      steps: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 8 }),
      other: fc.constantFrom(...OTHERS),
      how: fc.constantFrom('replace', 'remove', 'add'),
    })
    fc.assert(
      fc.property(change, ({ which, steps, other, how }) => {
        const changed: unknown = structuredClone(values[which])
        let at = changed as Record<string, unknown>
        for (const [index, step] of steps.entries()) {
          const names = Object.keys(at)
          const name = names[step % Math.max(1, names.length)] ?? 'new'
          const next = at[name]
          if (index < steps.length - 1 && typeof next === 'object' && next !== null) {
            at = next as Record<string, unknown>
            continue
          }
          if (how === 'remove') Reflect.deleteProperty(at, name)
          else at[how === 'add' ? `${name}x` : name] = other
          break
        }
        assert.equal(fits(changed), Check(schema, changed), JSON.stringify({ which, steps, other, how }))
      }),
      { numRuns: 300 },
    )
  })
}
