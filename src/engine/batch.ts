/** A whole request by the reference: the bytes of the body in, the bytes of the answer out. A bad record never costs another its answer. */
import { AppError } from '../errors.ts'
import {
  AnswerBuilder,
  type AnswerTools,
  type BatchAnswer,
  type BatchOptions,
  type Print,
} from './answer-builder.ts'
import { type SecondLook, usableIdx } from './assess.ts'
import { decodeText, parseText, scanStructure } from './read/body.ts'
import { duplicatesAmong } from './read/duplicates.ts'
import { describeJsonFault } from './read/json-fault.ts'
import { NO_KEYS, type RepeatedKeys, countKeys, findRepeatedKeys } from './read/repeated-keys.ts'

const NONE_REPEATED: ReadonlyMap<number, RepeatedKeys> = new Map()

export function answerBytes(
  body: Uint8Array,
  tools: AnswerTools,
  print: Print,
  options: BatchOptions,
): BatchAnswer {
  options.budget?.beforeParse(body.length)
  const structure = scanStructure(body)
  if (structure.depth > options.maxDepth) throw new AppError('BODY_TOO_DEEP')
  const text = decodeText(body)
  const records = parseBody(text)
  if (!Array.isArray(records)) throw new AppError('BODY_NOT_ARRAY')
  if (records.length > options.maxRecords) {
    throw new AppError(
      'TOO_MANY_RECORDS',
      `The body holds ${records.length} records; the limit is ${options.maxRecords}. Send them in several requests.`,
    )
  }
  const answer = new AnswerBuilder('array', tools, print, options)
  const repeated = countKeys(records) === structure.colons ? NONE_REPEATED : findRepeatedKeys(text)
  const looks = secondLooks(records, repeated)
  records.forEach((record, position) => answer.judge(record, position, looks.get(position)))
  return answer.finished()
}

function parseBody(text: string): unknown {
  try {
    return parseText(text)
  } catch {
    throw new AppError('BODY_MALFORMED', describeJsonFault(text))
  }
}

/** What only the whole request shows: keys that a record repeats, and records that share an idx. */
function secondLooks(
  records: readonly unknown[],
  repeated: ReadonlyMap<number, RepeatedKeys>,
): ReadonlyMap<number, SecondLook> {
  const looks = new Map<number, SecondLook>()
  for (const [position, keys] of repeated) looks.set(position, { ...keys, duplicateIdx: false })
  const idxs = records.map((record, position) => {
    const idx = usableIdx((record as { idx?: unknown } | null)?.idx)
    return idx === null || repeated.get(position)?.names.has('idx') === true ? Number.NaN : idx
  })
  const claimed = new Set([...repeated.values()].flatMap((keys) => keys.idxs))
  for (const position of duplicatesAmong(idxs, claimed))
    looks.set(position, { ...(repeated.get(position) ?? NO_KEYS), duplicateIdx: true })
  return looks
}
