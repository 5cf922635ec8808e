/** The printed SQL gives the engine's risks and messages for unusual values and at every step of a curve, and a defect in it is found. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileLink, roundRisk } from '../../src/score/link.ts'
import { stepsOfCurve } from '../../src/expression/tabulate.ts'
import { CORE, DEFINITIONS, catalogueModel, scoreCase } from './cases.ts'
import { randomCase } from './compare.ts'
import { whyNoPostgres } from '../../../../test/support/postgres-server.ts'
import { useEngines } from './engines.ts'
import { LINKS, neighbour, scoresAround } from './scores-around.ts'
import { unusualCase } from './unusual-values.ts'

const { agree, found } = useEngines()

test('a missing part column leaves the figure null, and the query is valid', () =>
  agree(randomCase(DEFINITIONS, catalogueModel('profund'), 1_703_904_617, 50)))

describe('every unusual value in every column', () => {
  for (const model of CORE) test(model.id, () => agree(unusualCase(DEFINITIONS, model)))
})

describe('scores at which the risk changes', () => {
  const [first] = LINKS
  test(`${first.kind}: at and just below each of them`, () => agree(scoreCase(scoresAround(first), first)))

  for (const link of LINKS) {
    test(`${link.kind}: the answer changes once around each of them`, () => {
      const curve = compileLink(link)
      const answer = (score: number): number => roundRisk(curve(score))
      const { first, at, answers } = stepsOfCurve(answer)
      assert.ok(at.length > 9_000)
      for (const [place, score] of at.entries()) {
        for (let by = 1; by <= 20; by++) {
          assert.equal(answer(neighbour(score, by)), answers[place])
          assert.equal(answer(neighbour(score, -by)), answers[place - 1] ?? first)
        }
      }
    })
  }
})

describe('planted defects are found', () => {
  const [logistic] = LINKS
  test('one score moved by one place in the last digit', async () => {
    const curve = compileLink(logistic)
    const { at } = stepsOfCurve((score) => roundRisk(curve(score)))
    const moved = at[6_000] as number
    const spoil = (query: string): string => query.replaceAll(String(moved), String(neighbour(moved, 1)))
    const differing = await found(scoreCase(scoresAround(logistic), logistic), spoil)
    assert.deepEqual(
      differing.map(({ length }) => length),
      whyNoPostgres() === undefined ? [1, 1] : [1],
    )
  })

  test('one word of one message', async () => {
    const given = randomCase(DEFINITIONS, catalogueModel('readmission30'), 1, 500)
    const differing = await found(given, (query) =>
      query.replace('ValueMissing for value age', 'ValueMissing for value Age'),
    )
    assert.ok(differing.every(({ length }) => length > 0))
  })
})
