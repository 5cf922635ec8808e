/** The bounds of reading a model file that take a second to reach. */
import assert from 'node:assert/strict'
import { around, atLimit } from '../../../../../test/support/limits.ts'
import { readPmml } from '../../../src/learn/import/pmml/read-pmml.ts'
import { readXml } from '../../../src/learn/import/pmml/xml.ts'
import { discretized } from './hostile-files.ts'

atLimit('PMML: elements', around(1_000_000), (elements, isPermitted) => {
  const text = `<a>${'<b/>'.repeat(elements - 1)}</a>`
  if (isPermitted) assert.equal(readXml(text).children.length, elements - 1)
  else assert.throws(() => readXml(text), /has more than 1,000,000 elements/)
})

atLimit(
  'PMML: questions about features one after the other, for one number',
  around(1_000),
  (questions, isPermitted) => {
    // Neighbouring bands share an edge.
    const read = (): unknown =>
      readPmml(discretized(questions - 1), { mayBeAbsent: () => false, baseline: 0.5 })
    if (isPermitted) read()
    else assert.throws(read, /asks more than 1,000 questions one after the other/)
  },
)
