/** Checks that every value a figure can reach falls in exactly one band. */
import type { FaultList } from '../fault.ts'
import { scaleForms } from '../forms.ts'
import { domainIn } from '../scale-domains.ts'
import type { BandSchemeDefinition, ScaleDefinition } from '../scale.ts'

export function checkBands(scale: ScaleDefinition, faults: FaultList): void {
  scale.bands?.forEach((scheme, index) => checkScheme(scale, scheme, `/bands/${index}`, faults))
}

function checkScheme(
  scale: ScaleDefinition,
  scheme: BandSchemeDefinition,
  path: string,
  faults: FaultList,
): void {
  const of = scheme.of ?? 'total'
  const isKnown =
    of === 'total' ||
    [scale.subtotals, scale.derived, scale.context].some((group) => Object.hasOwn(group ?? {}, of))
  if (!isKnown) {
    faults.add(
      `${path}/of`,
      'unknown-part',
      `there is no total, subtotal, derived figure or context called ${of}`,
    )
    return
  }
  scheme.bands.forEach((band, index) => {
    if (band.from > band.to) faults.add(`${path}/bands/${index}`, 'band-order', '`from` lies above `to`')
  })
  const values = reachedValues(scale, scheme, of)
  for (const value of values) {
    const holders = scheme.bands.filter((band) => value >= band.from && value <= band.to)
    if (holders.length === 0)
      faults.add(`${path}/bands`, 'band-gap', `no band holds ${value}, which can be reached`)
    if (holders.length > 1)
      faults.add(`${path}/bands`, 'band-overlap', `${holders.length} bands hold ${value}`)
  }
  scheme.bands.forEach((band, index) => {
    if (!values.some((value) => value >= band.from && value <= band.to))
      faults.add(`${path}/bands/${index}`, 'band-unused', 'holds no value that can be reached')
  })
}

/** Bands are printed for the base form; the other codings of a scale are brought back to it. */
function reachedValues(scale: ScaleDefinition, scheme: BandSchemeDefinition, of: string): readonly number[] {
  const values = new Set<number>()
  for (const form of scaleForms(scale)) {
    const domain = form.shift === 0 ? domainIn(scale, form, of) : undefined
    if (domain?.kind === 'list') domain.values.forEach((value) => values.add(value))
    if (domain?.kind === 'decimal') {
      // A mean is rounded and a measure has steps, so the values at and beside every edge decide for all.
      const derived = scale.derived?.[of]
      const step = domain.step ?? 10 ** -(derived?.kind === 'mean' ? derived.decimals : 0)
      const edges = scheme.bands.flatMap(({ from, to }) => [from - step, from, to, to + step])
      for (const edge of [domain.from, domain.to, ...edges]) {
        const value = Math.round(edge / step) / Math.round(1 / step)
        if (value >= domain.from && value <= domain.to) values.add(value)
      }
    }
  }
  return [...values].sort((a, b) => a - b)
}
