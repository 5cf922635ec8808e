/** A whole request: the bytes of the body in, the bytes of the answer out. A bad record never costs another its answer. */
import { AppError } from '../errors.ts'
import { decodeText, parseText, scanStructure } from './read/body.ts'
import type { AssessOptions, Assessor, Outcome, SecondLook } from './assess.ts'
import { duplicatesAmong } from './read/duplicates.ts'
import { describeJsonFault } from './read/json-fault.ts'
import { type RepeatedKeys, countOutside, findRepeatedKeys } from './read/repeated-keys.ts'
import { Tally } from './tally.ts'

export interface BatchOptions extends AssessOptions {
  readonly maxRecords: number
  readonly maxDepth: number
  readonly budget?: WorkBudget
}

/** Lets a caller stop work that proves too expensive: both calls may throw. Clean records cost too little to be asked about. */
export interface WorkBudget {
  /** Before a whole body is parsed at once. */
  beforeParse(bytes: number): void
  /** From time to time while records are judged, with the size of the answer so far. */
  step(answerBytes: number): void
}

/** A budget is asked after this many records, less one: a mask. */
export const BUDGET_STEP = 63

export interface BatchAnswer {
  /** The answer's JSON in UTF-8. It belongs to the caller: no later call writes into it. */
  readonly bytes: Uint8Array
  readonly tally: Tally
}

/** Prints one outcome as an element of the answer. */
export type Print = (outcome: Outcome) => string

const encoder = new TextEncoder()
const NO_NAMES: ReadonlySet<string> = new Set()

export function answerBytes(
  body: Uint8Array,
  assessor: Assessor,
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

  const idxs = new Array<number | null>(records.length)
  const printed = new Array<string>(records.length)
  const tally = new Tally()
  let keys = 0
  let size = 0
  const add = (position: number, outcome: Outcome): void => {
    const text = print(outcome)
    printed[position] = text
    size += text.length
    if ((position & BUDGET_STEP) === BUDGET_STEP) options.budget?.step(size)
    tally.add(outcome)
  }
  for (let position = 0; position < records.length; position++) {
    const outcome = assessor.assess(records[position], position, options)
    keys += outcome.keys + countOutside(records[position])
    idxs[position] = outcome.idx
    add(position, outcome)
  }
  const repeated = keys === structure.colons ? undefined : findRepeatedKeys(text)
  for (const [position, look] of secondLooks(idxs, repeated)) {
    // The first outcome is taken back: the record is judged again, with what the whole request shows.
    tally.remove(assessor.assess(records[position], position, options))
    add(position, assessor.assess(records[position], position, options, look))
  }
  return { bytes: encoder.encode(`[${printed.join(',')}]`), tally }
}

function parseBody(text: string): unknown {
  try {
    return parseText(text)
  } catch {
    throw new AppError('BODY_MALFORMED', describeJsonFault(text))
  }
}

/** The records that must be judged again once the whole request is known. */
function secondLooks(
  idxs: readonly (number | null)[],
  repeated: ReadonlyMap<number, RepeatedKeys> | undefined,
): ReadonlyMap<number, SecondLook> {
  const looks = new Map<number, SecondLook>()
  const claimed = new Set<number>()
  for (const [position, { names, idxs: written }] of repeated ?? []) {
    looks.set(position, { duplicateIdx: false, repeatedKeys: names })
    for (const idx of written) claimed.add(idx)
  }
  const own = idxs.map((idx, position) =>
    idx === null || looks.get(position)?.repeatedKeys.has('idx') === true ? Number.NaN : idx,
  )
  for (const position of duplicatesAmong(own, claimed)) {
    looks.set(position, { duplicateIdx: true, repeatedKeys: looks.get(position)?.repeatedKeys ?? NO_NAMES })
  }
  return looks
}
