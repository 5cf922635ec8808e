/**
 * The byte reader: records in, answers out. It answers what it recognises exactly and leaves the rest,
 * record by record, to the engine or as a range of bytes to the reference. It writes no messages and has no list of
 * fields: tables in memory describe them.
 */
import {
  EXPECT_FIRST,
  RISK_JUDGED,
  RISK_LEFT,
  STATUS_DOUBT,
  STATUS_END,
  STATUS_FULL,
  STATUS_MORE,
  TEXT_LENGTH,
  TEXT_SIZE,
} from '../src/bytes/layout'
import {
  capacity,
  endsAt,
  headAt,
  idxsAt,
  outputAt,
  outputEnd,
  outsAt,
  risksAt,
  startsAt,
  tailAt,
  textsAt,
} from './memory'
import { endOfElement, endOfLine, skipSpace } from './scan'
import { nameCount, unrecognisedCount } from './unrecognised'
import { carriedCount, readRecord } from './record'
import { scoreRecord } from './score'
import { idxLength, idxPlace, idxValue } from './value'
import { watchScored } from './watch'

export { enterKey } from './key'
export * from './memory'
export { watchIn } from './watch'

/** Room for one answer. */
const ANSWER_ROOM = 96
const EXPECT_ELEMENT = 1
const EXPECT_SEPARATOR = 2

/** What a call reports: how many records it saw, where it stopped, what it expects there, and how much it has printed. */
export let count: i32 = 0
export let position: i32 = 0
export let expect: i32 = 0
export let written: i32 = 0

/** Judges the record from its slots and from what the reader did not recognise; false when the reference must look at its bytes. */
@external('engine', 'judge')
declare function judgeByEngine(idx: f64, unrecognised: i32, carried: i32): bool

/** Whether the names that the reader has noted change nothing in the answer. */
@external('engine', 'ignores')
declare function ignoredByEngine(names: i32): bool

/** Reads elements of an array from `at` on. `position` and `expect` say where it stopped and what it expects there. */
export function readArray(at: i32, end: i32): i32 {
  const lastOut = outputEnd - ANSWER_ROOM
  let next = expect
  let out = outputAt
  let records = 0
  let status = -1
  while (status < 0) {
    if (<u32>load<u8>(at) <= 0x20) at = skipSpace(at, true)
    const first = <u32>load<u8>(at)
    if (at >= end) {
      status = STATUS_MORE
    } else if (next == EXPECT_SEPARATOR) {
      if (first == 0x2c) {
        at++
        next = EXPECT_ELEMENT
      } else if (first == 0x5d) {
        at++
        status = STATUS_END
      } else {
        status = STATUS_DOUBT
      }
    } else if (first == 0x5d && next == EXPECT_FIRST) {
      at++
      status = STATUS_END
    } else if (records == capacity || out > lastOut) {
      status = STATUS_FULL
    } else {
      let stop = first == 0x7b ? within(readRecord(at + 1, true), end) : 0
      const risk = stop == 0 ? RISK_LEFT : answerRecord(at + 1, true)
      if (risk == RISK_LEFT) stop = endOfElement(at, end)
      if (stop == 0) {
        status = STATUS_MORE
      } else {
        out = note(records, at, stop, out, risk)
        records++
        at = stop
        next = EXPECT_SEPARATOR
      }
    }
  }
  return finish(at, next, records, out, status)
}

/** Reads one record per line. The last line is complete if nothing follows the input. */
export function readLines(at: i32, end: i32, isLast: bool): i32 {
  const lastOut = outputEnd - ANSWER_ROOM
  let out = outputAt
  let records = 0
  let status = -1
  while (status < 0) {
    const start = skipSpace(at, false)
    if (start >= end) {
      if (isLast) at = start
      status = isLast ? STATUS_END : STATUS_MORE
    } else if (load<u8>(start) == 0x0a) {
      at = start + 1
    } else if (records == capacity || out > lastOut) {
      status = STATUS_FULL
    } else {
      let stop = load<u8>(start) == 0x7b ? within(readRecord(start + 1, false), end) : 0
      // The line must end with its record.
      if (stop != 0) stop = skipSpace(stop, false)
      if (stop != 0 && !(load<u8>(stop) == 0x0a || (stop >= end && isLast))) stop = 0
      const risk = stop == 0 ? RISK_LEFT : answerRecord(start + 1, false)
      if (risk == RISK_LEFT) stop = endOfLine(start, end, isLast)
      if (stop == 0) {
        status = STATUS_MORE
      } else {
        // A line is noted from its start, so that its place can be reported.
        out = note(records, at, stop, out, risk)
        records++
        at = stop < end ? stop + 1 : stop
      }
    }
  }
  return finish(at, EXPECT_FIRST, records, out, status)
}

/** Where a record ends, or 0 if that is after the input, where bytes of earlier requests remain. */
@inline
function within(stop: i32, end: i32): i32 {
  return stop > end ? 0 : stop
}

/** The risk of the record that was read, or RISK_JUDGED where the engine has its answer, or RISK_LEFT. */
@inline
function answerRecord(at: i32, newlineIsSpace: bool): i32 {
  if (unrecognisedCount == 0 || (unrecognisedCount == nameCount && ignoredByEngine(nameCount))) {
    const risk = scoreRecord()
    if (risk != RISK_LEFT) {
      watchScored(risk)
      return risk
    }
    // Reconciling may have changed what was read.
    readRecord(at, newlineIsSpace)
  }
  return judgeByEngine(<f64>idxValue, unrecognisedCount, carriedCount) ? RISK_JUDGED : RISK_LEFT
}

@inline
function finish(at: i32, next: i32, records: i32, out: i32, status: i32): i32 {
  position = at
  expect = next
  count = records
  written = out - outputAt
  return status
}

/** Notes a record, and prints its answer when it has one. Returns where the next answer goes. */
@inline
function note(index: i32, start: i32, stop: i32, out: i32, risk: i32): i32 {
  store<i32>(startsAt + (index << 2), start)
  store<i32>(endsAt + (index << 2), stop)
  store<i32>(outsAt + (index << 2), out)
  store<i16>(risksAt + (index << 1), <i16>risk)
  if (risk < 0) return out
  store<f64>(idxsAt + (index << 3), <f64>idxValue)
  v128.store(out, v128.load(headAt))
  out += 7
  // The idx is echoed as it was written: only its plain form is recognised.
  v128.store(out, v128.load(idxPlace))
  out += idxLength
  store<u64>(out, load<u64>(headAt + 8))
  const text = textsAt + risk * TEXT_SIZE
  store<u64>(out + 8, load<u64>(text))
  out += 8 + <i32>load<u8>(text + TEXT_LENGTH)
  v128.store(out, v128.load(tailAt))
  store<u64>(out + 16, load<u64>(tailAt + 16))
  return out + 23
}
