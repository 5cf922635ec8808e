/** Proves that every score a model can reach has its risk, and that the threshold fits. */
import type { Domain } from './domain.ts'
import type { FaultList } from './fault.ts'
import type { OriginalLinkDefinition } from './link.ts'
import type { ModelDefinition } from './model.ts'
import { scoreRange } from './score-range.ts'

export function checkLink(
  model: ModelDefinition,
  inputs: ReadonlyMap<string, Domain>,
  faults: FaultList,
): void {
  const range = scoreRange(model, inputs)
  const link = model.link.kind === 'recalibrated' ? model.link.of : model.link
  if (link.kind === 'scoreTable' || link.kind === 'strata') {
    if (!range.isWhole) {
      faults.add('/terms', 'whole-points', 'a table of scores needs terms that give whole points only')
      return
    }
    for (let score = range.from; score <= range.to; score++) {
      const rows = risksAt(link, score)
      if (rows.length === 0)
        faults.add('/link', 'score-gap', `the score ${score} can be reached and has no risk`)
      if (rows.length > 1) faults.add('/link', 'score-overlap', `the score ${score} has ${rows.length} risks`)
    }
  }
  if (link.kind === 'strata') checkCounts(link.strata, faults)
  checkThreshold(model, faults)
}

type TableLink = Extract<OriginalLinkDefinition, { kind: 'scoreTable' | 'strata' }>

function risksAt(link: TableLink, score: number): readonly number[] {
  if (link.kind === 'scoreTable') {
    const risk = link.risks[score - link.from]
    return risk === undefined ? [] : [risk]
  }
  return link.strata.filter(({ from, to }) => score >= from && score <= to).map(({ risk }) => risk)
}

/** A risk beside its counts must be their quotient, as far as the paper prints it. */
function checkCounts(
  strata: readonly { risk: number; events?: number; of?: number }[],
  faults: FaultList,
): void {
  strata.forEach(({ risk, events, of }, index) => {
    if ((events === undefined) !== (of === undefined)) {
      faults.add(`/link/strata/${index}`, 'counts', '`events` and `of` are given together')
    } else if (events !== undefined && of !== undefined && Math.abs(events / of - risk) > 0.0005) {
      faults.add(`/link/strata/${index}/risk`, 'counts', `is not ${events} of ${of}`)
    }
  })
}

function checkThreshold(model: ModelDefinition, faults: FaultList): void {
  const { link, threshold } = model
  if (threshold?.score === undefined) return
  if (link.kind !== 'scoreTable' && link.kind !== 'strata') {
    faults.add('/threshold/score', 'threshold', 'only a table of scores has a threshold score')
  } else if (risksAt(link, threshold.score)[0] !== threshold.risk) {
    faults.add('/threshold/risk', 'threshold', `is not the risk of the score ${threshold.score}`)
  }
}
