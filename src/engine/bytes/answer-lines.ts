/** One record per line, by the byte reader. Records that it cannot answer are judged from their slots, or by the reference from their bytes. */
import type { BatchOptions } from '../batch.ts'
import type { LinesBuilder } from '../read/lines.ts'
import * as at from './layout.ts'
import { type Machine, fillWindow, prepare } from './machine.ts'

const TAIL = new TextEncoder().encode(',"error_message":null}\n')

/** Answers lines window after window; returns how many bytes it has answered. It stops at a line that is larger than a window. */
export function readLinesFast(
  machine: Machine,
  options: BatchOptions,
  lines: Uint8Array,
  offset: number,
  answer: LinesBuilder,
): number {
  const { header } = machine
  prepare(machine, options, TAIL)
  let done = 0
  while (done < lines.length) {
    const length = fillWindow(machine, lines, done)
    const end = machine.inputAt + length
    const isLast = done + length === lines.length ? 1 : 0
    let place = machine.inputAt
    let status: number = at.STATUS_FULL
    while (status === at.STATUS_FULL) {
      status = machine.readLines(place, end, isLast)
      place = header[at.H_POSITION / 4] as number
      collect(machine, lines, done - machine.inputAt, offset, answer)
    }
    const used = place - machine.inputAt
    if (used === 0) break
    done += used
  }
  return done
}

/** Takes over the answers of the reader, and judges the records that it left. `shift` leads from its memory to the lines. */
function collect(
  machine: Machine,
  lines: Uint8Array,
  shift: number,
  offset: number,
  answer: LinesBuilder,
): void {
  const { writer, idxs, risks, tally } = answer
  const { output } = machine
  const count = machine.header[at.H_COUNT / 4] as number
  const written = machine.header[at.H_WRITTEN / 4] as number
  const noted = machine.risks.subarray(0, count)
  if (!noted.includes(at.RISK_LEFT) && !noted.includes(at.RISK_JUDGED)) {
    idxs.addAll(machine.idxs.subarray(0, count))
    risks.addAll(noted)
    writer.add(output.subarray(0, written))
    tally.addClean(count)
    return
  }
  let printed = 0
  let clean = 0
  for (let index = 0; index < count; index++) {
    const risk = machine.risks[index] as number
    if (risk >= 0) {
      clean++
      idxs.add(machine.idxs[index] as number)
      risks.add(risk)
      continue
    }
    const out = (machine.outs[index] as number) - machine.outputAt
    writer.add(output.subarray(printed, out))
    printed = out
    if (risk === at.RISK_JUDGED) answer.add(machine.judge.take())
    else {
      const start = (machine.starts[index] as number) + shift
      answer.addJudged(lines.subarray(start, (machine.ends[index] as number) + shift), offset + start)
    }
  }
  writer.add(output.subarray(printed, written))
  tally.addClean(clean)
}
