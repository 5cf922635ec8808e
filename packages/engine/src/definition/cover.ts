/** Checks that bands hold every value of a domain exactly once: no gap, no overlap, in order. */
import { type Domain, type Range, listDomain, rounded } from './domain.ts'
import type { FaultList } from './fault.ts'
import type { PointsBandDefinition } from './term.ts'

type Band = Omit<PointsBandDefinition, 'points'>
type Bands = readonly Band[]

/** Whether a band holds a value: `from` and `to` belong to it, `above` and `below` do not. */
export function bandHolds(band: Band, value: number): boolean {
  return startsBy(band, value) && endsAfter(band, value)
}

function startsBy(band: Band, value: number): boolean {
  return band.above === undefined ? value >= (band.from ?? -Infinity) : value > band.above
}

function endsAfter(band: Band, value: number): boolean {
  return band.below === undefined ? value <= (band.to ?? Infinity) : value < band.below
}

export function bandsCover(bands: Bands, domain: Domain, faults: FaultList): void {
  // Bands with faulty ends would only add faults that follow from the first ones.
  if (!bandsHaveEnds(bands, faults)) return
  if (domain.kind === 'list') checkValues(bands, domain.values, faults)
  else if (domain.kind === 'integer') checkValues(bands, edgeValues(bands, domain), faults)
  else if (domain.kind === 'decimal') checkContinuous(bands, domain, faults)
}

/** Whether each band has at most one start and one end, and ends after it starts. */
export function bandsHaveEnds(bands: Bands, faults: FaultList): boolean {
  const before = faults.faults.length
  bands.forEach((band, index) => checkEnds(band, faults.at(`/${index}`)))
  return faults.faults.length === before
}

function checkEnds({ from, above, to, below }: Band, faults: FaultList): void {
  if (from !== undefined && above !== undefined)
    faults.add('', 'band-ends', 'a band starts with `from` or with `above`, not with both')
  if (to !== undefined && below !== undefined)
    faults.add('', 'band-ends', 'a band ends with `to` or with `below`, not with both')
  const start = from ?? above ?? -Infinity
  const end = to ?? below ?? Infinity
  const isOpen = above !== undefined || below !== undefined
  if (start > end || (start === end && isOpen))
    faults.add('', 'band-order', 'the band ends before it starts, so it holds nothing')
}

/** Each of these values, which can occur or be reached, lies in exactly one band, and each band holds one of them. */
export function checkValues(
  bands: Bands,
  values: readonly number[],
  faults: FaultList,
  can: 'occur' | 'be reached' = 'occur',
): void {
  for (const value of values) {
    const holders = bands.filter((band) => bandHolds(band, value)).length
    const hint = can === 'occur' ? '' : `, which can ${can}`
    if (holders === 0) faults.add('', 'band-gap', `no band holds ${value}${hint}`)
    if (holders > 1) faults.add('', 'band-overlap', `${holders} bands hold ${value}`)
  }
  bands.forEach((band, index) => {
    if (!values.some((value) => bandHolds(band, value)))
      faults.add(`/${index}`, 'band-unused', `holds no value that can ${can}`)
  })
}

/** Between two edges nothing changes, so it is enough to check the values at and next to each edge. */
export function edgeValues(bands: Bands, { from, to }: Range, step = 1): readonly number[] {
  const edges = bands.flatMap((band) => [band.from, band.above, band.to, band.below])
  const near = edges.flatMap((edge) => (edge === undefined ? [] : [edge - step, edge, edge + step]))
  // Tenths are not exact in binary; the quotient of two whole numbers is the nearest number to what is written.
  const onStep = (value: number): number =>
    step < 1 ? Math.round(value / step) / Math.round(1 / step) : rounded(Math.round(value / step) * step, 3)
  const values = [from, to, ...near].map(onStep).filter((value) => value >= from && value <= to)
  return listDomain(values).values
}

/**
 * There are no gaps between bands of decimal values: each starts exactly where the one before it ends, and the edge itself
 * belongs to one of the two, so `below` meets `from`, and `to` meets `above`.
 */
function checkContinuous(bands: Bands, domain: Range, faults: FaultList): void {
  const [first, last] = [bands[0], bands.at(-1)]
  if (first !== undefined && !startsBy(first, domain.from))
    faults.add('/0', 'band-gap', `no band holds ${domain.from}`)
  if (last !== undefined && !endsAfter(last, domain.to))
    faults.add(`/${bands.length - 1}`, 'band-gap', `no band holds ${domain.to}`)
  bands.forEach((band, index) => {
    const isUnused =
      (band.from ?? band.above ?? -Infinity) > domain.to || (band.to ?? band.below ?? Infinity) < domain.from
    if (isUnused) faults.add(`/${index}`, 'band-unused', 'holds no value that can occur')
    const next = bands[index + 1]
    if (next !== undefined) checkJoint(band, next, faults.at(`/${index + 1}`))
  })
}

function checkJoint(band: Band, next: Band, faults: FaultList): void {
  const end = band.to ?? band.below
  const start = next.from ?? next.above
  if (end === undefined || start === undefined) {
    faults.add('', 'band-overlap', 'has no edge to the band before it')
    return
  }
  const word = band.below === undefined ? 'above' : 'from'
  if (next[word] === end) return
  const isGap = start > end || (start === end && band.to === undefined)
  const hint = `must start with \`${word}\`: ${end}, where the band before it ends`
  faults.add('', isGap ? 'band-gap' : 'band-overlap', hint)
}
