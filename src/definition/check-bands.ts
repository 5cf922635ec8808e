/** Proves that every value a figure can reach falls in exactly one band. */
import type { FaultList } from './fault.ts'
import { scaleForms } from './forms.ts'
import { domainIn } from './scale-domains.ts'
import type { BandSchemeDefinition, ScaleDefinition } from './scale.ts'

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
    of === 'total' || Object.hasOwn(scale.subtotals ?? {}, of) || Object.hasOwn(scale.derived ?? {}, of)
  if (!isKnown) {
    faults.add(`${path}/of`, 'unknown-part', `there is no total, subtotal or derived figure called ${of}`)
    return
  }
  scheme.bands.forEach((band, index) => {
    if (band.from > band.to) faults.add(`${path}/bands/${index}`, 'band-order', '`from` lies above `to`')
  })
  // Bands are printed for the base form; the other codings of a scale are brought back to it.
  const form = scaleForms(scale).find(({ shift }) => shift === 0)
  const domain = form === undefined ? undefined : domainIn(scale, form, of)
  if (domain?.kind !== 'list') return
  for (const value of domain.values) {
    const holders = scheme.bands.filter((band) => value >= band.from && value <= band.to)
    if (holders.length === 0)
      faults.add(`${path}/bands`, 'band-gap', `no band holds ${value}, which can be reached`)
    if (holders.length > 1)
      faults.add(`${path}/bands`, 'band-overlap', `${holders.length} bands hold ${value}`)
  }
}
