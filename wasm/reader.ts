/**
 * The byte reader: records in, answers out. It answers what it recognises exactly and leaves the rest,
 * record by record, to the engine or as a range of bytes to the reference. It words no problem and knows no field: tables in memory drive it.
 */
import {
  ANSWER_ROOM,
  EXPECT_ELEMENT,
  EXPECT_FIRST,
  EXPECT_SEPARATOR,
  HEADER,
  H_CAPACITY,
  H_CARRIED_COUNT,
  H_COUNT,
  H_ENDS,
  H_EXPECT,
  H_HEAD,
  H_IDXS,
  H_ODD_COUNT,
  H_OUTPUT,
  H_OUTPUT_END,
  H_OUTS,
  H_POSITION,
  H_RISKS,
  H_STARTS,
  H_TAIL,
  H_TEXTS,
  H_WRITTEN,
  RISK_JUDGED,
  RISK_LEFT,
  STATUS_DOUBT,
  STATUS_END,
  STATUS_FULL,
  STATUS_MORE,
  TEXT_LENGTH,
  TEXT_SIZE,
} from '../src/engine/bytes/layout'
import { endOfElement, endOfLine, skipSpace } from './scan'
import { oddCount } from './odd'
import { carriedCount, readRecord } from './record'
import { scoreRecord } from './score'
import { idxLength, idxPlace, idxValue } from './value'

/** Judges the record from its slots and from what is odd about it; false when the reference must look at its bytes. */
@external('engine', 'judge')
declare function judgeByEngine(idx: f64): bool

/** Reads elements of an array from `at` on. What it stopped at, and what it expects there, stands in the header. */
export function readArray(at: i32, end: i32): i32 {
  const capacity = load<i32>(HEADER + H_CAPACITY)
  const outputEnd = load<i32>(HEADER + H_OUTPUT_END) - ANSWER_ROOM
  let expect = load<i32>(HEADER + H_EXPECT)
  let out = load<i32>(HEADER + H_OUTPUT)
  let count = 0
  let status = -1
  while (status < 0) {
    if (<u32>load<u8>(at) <= 0x20) at = skipSpace(at, true)
    const first = <u32>load<u8>(at)
    if (at >= end) {
      status = STATUS_MORE
    } else if (expect == EXPECT_SEPARATOR) {
      if (first == 0x2c) {
        at++
        expect = EXPECT_ELEMENT
      } else if (first == 0x5d) {
        at++
        status = STATUS_END
      } else {
        status = STATUS_DOUBT
      }
    } else if (first == 0x5d && expect == EXPECT_FIRST) {
      at++
      status = STATUS_END
    } else if (count == capacity || out > outputEnd) {
      status = STATUS_FULL
    } else {
      let stop = first == 0x7b ? within(readRecord(at + 1, true), end) : 0
      const risk = stop == 0 ? RISK_LEFT : answerRecord(at + 1, true)
      if (risk == RISK_LEFT) stop = endOfElement(at, end)
      if (stop == 0) {
        status = STATUS_MORE
      } else {
        out = note(count, at, stop, out, risk)
        count++
        at = stop
        expect = EXPECT_SEPARATOR
      }
    }
  }
  return finish(at, expect, count, out, status)
}

/** Reads records that stand on a line each. The last line counts as whole when nothing follows the input. */
export function readLines(at: i32, end: i32, isLast: bool): i32 {
  const capacity = load<i32>(HEADER + H_CAPACITY)
  const outputEnd = load<i32>(HEADER + H_OUTPUT_END) - ANSWER_ROOM
  let out = load<i32>(HEADER + H_OUTPUT)
  let count = 0
  let status = -1
  while (status < 0) {
    const start = skipSpace(at, false)
    if (start >= end) {
      if (isLast) at = start
      status = isLast ? STATUS_END : STATUS_MORE
    } else if (load<u8>(start) == 0x0a) {
      at = start + 1
    } else if (count == capacity || out > outputEnd) {
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
        // A line is noted from its very start, so that its place can be told.
        out = note(count, at, stop, out, risk)
        count++
        at = stop < end ? stop + 1 : stop
      }
    }
  }
  return finish(at, EXPECT_FIRST, count, out, status)
}

/** Where a record ends, or 0 where it would end behind the input: there lies what former requests have left. */
@inline
function within(stop: i32, end: i32): i32 {
  return stop > end ? 0 : stop
}

/** The risk of the record that was read, or RISK_JUDGED where the engine has its answer, or RISK_LEFT. */
@inline
function answerRecord(at: i32, newlineIsSpace: bool): i32 {
  if (oddCount == 0) {
    const risk = scoreRecord()
    if (risk != RISK_LEFT) return risk
    // Settling may have changed what was read.
    readRecord(at, newlineIsSpace)
  }
  store<i32>(HEADER + H_ODD_COUNT, oddCount)
  store<i32>(HEADER + H_CARRIED_COUNT, carriedCount)
  return judgeByEngine(<f64>idxValue) ? RISK_JUDGED : RISK_LEFT
}

@inline
function finish(at: i32, expect: i32, count: i32, out: i32, status: i32): i32 {
  store<i32>(HEADER + H_POSITION, at)
  store<i32>(HEADER + H_EXPECT, expect)
  store<i32>(HEADER + H_COUNT, count)
  store<i32>(HEADER + H_WRITTEN, out - load<i32>(HEADER + H_OUTPUT))
  return status
}

/** Notes a record, and prints its answer when it has one. Returns where the next answer goes. */
@inline
function note(count: i32, start: i32, stop: i32, out: i32, risk: i32): i32 {
  store<i32>(load<i32>(HEADER + H_STARTS) + (count << 2), start)
  store<i32>(load<i32>(HEADER + H_ENDS) + (count << 2), stop)
  store<i32>(load<i32>(HEADER + H_OUTS) + (count << 2), out)
  store<i16>(load<i32>(HEADER + H_RISKS) + (count << 1), <i16>risk)
  if (risk < 0) return out
  store<f64>(load<i32>(HEADER + H_IDXS) + (count << 3), <f64>idxValue)
  v128.store(out, v128.load(HEADER + H_HEAD))
  out += 7
  // The idx is echoed as it was written: only its plain form is recognised.
  v128.store(out, v128.load(idxPlace))
  out += idxLength
  store<u64>(out, load<u64>(HEADER + H_HEAD + 8))
  const text = load<i32>(HEADER + H_TEXTS) + risk * TEXT_SIZE
  store<u64>(out + 8, load<u64>(text))
  out += 8 + <i32>load<u8>(text + TEXT_LENGTH)
  v128.store(out, v128.load(HEADER + H_TAIL))
  store<u64>(out + 16, load<u64>(HEADER + H_TAIL + 16))
  return out + 23
}
