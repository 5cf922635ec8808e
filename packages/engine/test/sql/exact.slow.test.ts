/** Exact answers where exact.test.ts has no room: unusual values of the other models, and the curves of the other links. */
import { test } from 'node:test'
import { DEFINITIONS, OTHERS, scoreCase } from './cases.ts'
import { useEngines } from './engines.ts'
import { LINKS, scoresAround } from './scores-around.ts'
import { unusualCase } from './unusual-values.ts'

const { agree } = useEngines()

for (const model of OTHERS)
  test(`${model.id}: every unusual value in every column`, () => agree(unusualCase(DEFINITIONS, model)))

for (const link of LINKS.slice(1))
  test(`${link.kind}: at and just below each score at which the risk changes`, () =>
    agree(scoreCase(scoresAround(link), link)))
