/** What an answer rests on, as columns of the results: the engine of tables asks the scorer about each record. */
import { noticeOf } from '@patient-risk/monitor'
import { parseJson } from 'patient-risk-engine/read'
import { type TableEngine, identifier, literal } from '../../tables/engine.ts'
import type { ScoreRun } from '../run.ts'
import type { InputDoubt } from '../summary.ts'
import { MEMBERS } from './table-source.ts'

/** The place of a row's file among the inputs of the run. */
export const INPUT = 'input_place'

/** A function of the engine of tables: the place of an input and a record in, and what its answer rests on out. */
const RESTS_ON = 'rests_on'
const NOTHING = '{"notices":[],"range":null}'
/** Without a usable idx a record is refused, whatever its fields say. A row that could not be read has no fields. */
const RECORD = `${INPUT} || '{"idx":' || CASE WHEN is_usable THEN '0' ELSE 'null' END || ${identifier(MEMBERS)} || '}'`

/** The results with the columns of both parts. */
export const WITH_PARTS = `(SELECT *, said->'notices' AS notices, said->'range' AS "range"
 FROM (SELECT *, CAST(coalesce(${RESTS_ON}(${RECORD}), ${literal(NOTHING)}) AS JSON) AS said FROM results))`

/** Makes the function known. All rows were looked at before, so that each says what its file leaves in doubt. */
export async function addRestsOn(
  engine: TableEngine,
  { deployment: { scorer }, today, parts, words, inputs }: ScoreRun,
  doubts: readonly InputDoubt[],
): Promise<void> {
  const feeds = inputs.map(({ path }) => doubts.filter(({ file }) => file === path).map(noticeOf))
  await engine.addFunction(RESTS_ON, 'VARCHAR', (text: string) => {
    const start = text.indexOf('{')
    const result = scorer.assess(parseJson(text.slice(start)), today)
    const feed = feeds[Number(text.slice(0, start))]
    return JSON.stringify(scorer.restsOn(result, today, parts, undefined, feed, words))
  })
}
