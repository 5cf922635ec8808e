/** Checks that every score a model can reach has a risk, and that the threshold fits. */
import type { Domain } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ModelDefinition, OriginalLinkDefinition } from '../model.ts'
import { type ScoreRange, scoreRange } from '../score-range.ts'

/** No published table comes near it; beyond it a definition is a mistake. */
const MOST_SCORES = 10_000
/** The answer has four decimals, and the rounded number decides between Yes and No. */
const ANSWER_UNITS = 10_000

export function checkLink(
  model: ModelDefinition,
  inputs: ReadonlyMap<string, Domain>,
  faults: FaultList,
): void {
  const range = scoreRange(model, inputs)
  const link = model.link.kind === 'recalibrated' ? model.link.of : model.link
  if (!Number.isFinite(range.from) || !Number.isFinite(range.to)) {
    faults.add('/terms', 'not-finite', 'the points can grow beyond every number')
    return
  }
  if (link.kind === 'scoreTable' || link.kind === 'strata') {
    if (!range.isWhole || range.to - range.from > MOST_SCORES) {
      const why = range.isWhole
        ? `has room for ${MOST_SCORES} scores at most`
        : 'needs terms that give whole points only'
      faults.add('/terms', 'whole-points', `a table of scores ${why}`)
      return
    }
    checkScores(link, range, faults)
  }
  if (link.kind === 'strata') checkStrata(link, faults)
  checkThreshold(model, faults)
}

/** Every score between the lowest and the highest has one risk. Neighbours with the same fault are reported once. */
function checkScores(link: TableLink, range: ScoreRange, faults: FaultList): void {
  const runs: { rule: string; from: number; to: number }[] = []
  for (let score = range.from; score <= range.to; score++) {
    const { length } = risksAt(link, score)
    if (length === 1) continue
    const rule = length === 0 ? 'score-gap' : 'score-overlap'
    const last = runs[runs.length - 1]
    if (last?.rule === rule && last.to === score - 1) last.to = score
    else runs.push({ rule, from: score, to: score })
  }
  for (const { rule, from, to } of runs) {
    const scores = from === to ? `the score ${from}` : `the scores from ${from} to ${to}`
    const risks = rule === 'score-gap' ? 'no' : 'more than one'
    faults.add('/link', rule, `${scores} can be reached and ${risks} risk is given`)
  }
}

type TableLink = Extract<OriginalLinkDefinition, { kind: 'scoreTable' | 'strata' }>

function risksAt(link: TableLink, score: number): readonly number[] {
  if (link.kind === 'scoreTable') {
    const risk = link.risks[score - link.from]
    return risk === undefined ? [] : [risk]
  }
  return link.strata.filter(({ from, to }) => score >= from && score <= to).map(({ risk }) => risk)
}

/** A stratum starts before it ends, and a risk beside its counts must be their quotient, as far as the paper prints it. */
function checkStrata(
  { strata }: Extract<OriginalLinkDefinition, { kind: 'strata' }>,
  faults: FaultList,
): void {
  strata.forEach(({ from, to, risk, events, of }, index) => {
    const here = faults.at(`/link/strata/${index}`)
    if (from > to) here.add('', 'strata-order', '`from` lies above `to`')
    if ((events === undefined) !== (of === undefined))
      here.add('', 'counts', '`events` and `of` are given together')
    else if (events !== undefined && of !== undefined && Math.abs(events / of - risk) > 0.0005)
      here.add('/risk', 'counts', `is not ${events} of ${of}`)
  })
}

function checkThreshold({ link, threshold }: ModelDefinition, faults: FaultList): void {
  if (threshold === undefined) return
  const { risk, score } = threshold
  const add = (path: string, message: string): void => faults.add(`/threshold${path}`, 'threshold', message)
  if (Math.abs(risk * ANSWER_UNITS - Math.round(risk * ANSWER_UNITS)) > 1e-6)
    add('/risk', 'has at most four decimals, as the answers have')
  if (score === undefined) return
  if (link.kind !== 'scoreTable' && link.kind !== 'strata')
    add('/score', 'only a table of scores has a threshold score')
  else if (risksAt(link, score)[0] !== risk) add('/risk', `is not the risk of the score ${score}`)
}
