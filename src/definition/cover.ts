/** Proves that bands hold every value of a domain exactly once: no gap, no overlap, in order. */
import type { Domain } from './domain.ts'
import type { FaultList } from './fault.ts'
import type { PointsBandDefinition } from './term.ts'

export function bandsCover(
  path: string,
  bands: readonly PointsBandDefinition[],
  domain: Domain,
  faults: FaultList,
): void {
  bands.forEach((band, index) => {
    if (band.to !== undefined && band.below !== undefined) {
      faults.add(`${path}/${index}`, 'band-ends', 'a band ends with `to` or with `below`, not with both')
    }
    if ((band.from ?? -Infinity) > (band.to ?? band.below ?? Infinity)) {
      faults.add(`${path}/${index}`, 'band-order', 'the band ends before it starts')
    }
  })
  if (domain.kind === 'list') for (const value of domain.values) checkValue(path, bands, value, faults)
  else if (domain.kind === 'integer') {
    for (const value of edges(bands, domain.from, domain.to)) checkValue(path, bands, value, faults)
  } else if (domain.kind === 'decimal') checkContinuous(path, bands, domain, faults)
}

function checkValue(
  path: string,
  bands: readonly PointsBandDefinition[],
  value: number,
  faults: FaultList,
): void {
  const holders = bands.filter((band) => isHeld(band, value)).length
  if (holders === 0) faults.add(path, 'band-gap', `no band holds ${value}`)
  if (holders > 1) faults.add(path, 'band-overlap', `${holders} bands hold ${value}`)
}

function isHeld(band: PointsBandDefinition, value: number): boolean {
  const isBelow = band.below === undefined ? value <= (band.to ?? Infinity) : value < band.below
  return value >= (band.from ?? -Infinity) && isBelow
}

/** Between two edges nothing changes, so the whole numbers at and beside every edge decide for all. */
function edges(bands: readonly PointsBandDefinition[], from: number, to: number): readonly number[] {
  const near = bands.flatMap((band) =>
    [band.from, band.to, band.below].flatMap((edge) =>
      edge === undefined ? [] : [edge - 1, edge, edge + 1],
    ),
  )
  const whole = [from, to, ...near].map(Math.round).filter((value) => value >= from && value <= to)
  return [...new Set(whole)].sort((a, b) => a - b)
}

/** Readings with decimals leave no room between bands: each starts exactly where the one before it ends. */
function checkContinuous(
  path: string,
  bands: readonly PointsBandDefinition[],
  domain: { readonly from: number; readonly to: number },
  faults: FaultList,
): void {
  const first = bands[0]
  if ((first?.from ?? -Infinity) > domain.from)
    faults.add(`${path}/0`, 'band-gap', `no band holds ${domain.from}`)
  bands.forEach((band, index) => {
    const next = bands[index + 1]
    if (next === undefined) {
      const holdsEnd = isHeld(band, domain.to)
      if (!holdsEnd) faults.add(`${path}/${index}`, 'band-gap', `no band holds ${domain.to}`)
      return
    }
    if (band.below === undefined) {
      faults.add(
        `${path}/${index}`,
        'band-ends',
        'a reading with decimals needs `below`, where the next band starts',
      )
    } else if (next.from !== band.below) {
      const rule = (next.from ?? -Infinity) > band.below ? 'band-gap' : 'band-overlap'
      faults.add(`${path}/${index + 1}`, rule, `must start at ${band.below}, where the band before it ends`)
    }
  })
}
