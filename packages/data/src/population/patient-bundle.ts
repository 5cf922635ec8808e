/** The resources of one patient as a Bundle. */

export interface PatientBundle {
  /** As answers refer to the patient; of the first one where several may be the same person. */
  readonly reference: string
  /** A Bundle, as one line of JSON. */
  readonly line: string
}

export interface Resource {
  readonly name: string
  readonly updated: string
  readonly text: string
}

/** Undefined for resources without their Patient. `ofAnybody` may be the patient's too. */
export function bundleOf(
  resources: readonly Resource[],
  ofAnybody: Iterable<Resource>,
  base: string | undefined,
): PatientBundle | undefined {
  const patient = resources.find(({ name }) => name.startsWith('Patient/'))
  if (patient === undefined) return undefined
  const entries = [...newest(resources), ...ofAnybody].map(({ name, text }) => {
    const fullUrl = base === undefined ? '' : `"fullUrl":${JSON.stringify(base + name)},`
    return `{${fullUrl}"resource":${text}}`
  })
  const line = `{"resourceType":"Bundle","type":"collection","entry":[${entries.join()}]}`
  return { reference: `${base ?? ''}${patient.name}`, line }
}

/** A resource that comes twice counts as its newest version. Without a time of both, both stay, and the patient gets no risk. */
function newest(resources: readonly Resource[]): readonly Resource[] {
  const kept = new Map<string, Resource[]>()
  for (const each of resources) {
    const others = kept.get(each.name) ?? []
    const [other] = others
    const time = Date.parse(each.updated)
    const otherTime = Date.parse(other?.updated ?? '')
    const isOrdered = other !== undefined && time !== otherTime && !Number.isNaN(time + otherTime)
    if (!isOrdered) kept.set(each.name, [...others, each])
    else if (time > otherTime) kept.set(each.name, [each])
  }
  return [...kept.values()].flat()
}
