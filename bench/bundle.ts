/** Bundles of patients with an index stay, an earlier one and laboratory values. */

/** So that a patient takes about 20 kB, as an export with laboratory values does. */
const OBSERVATIONS = 35

export function bundle(from: number, count: number): string {
  const entry = Array.from({ length: count }, (_, at) => patientResources(from + at))
    .flat()
    .map((resource) => ({
      fullUrl: `https://hospital.example/fhir/${resource.resourceType}/${resource.id}`,
      resource,
    }))
  return JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry })
}

type Resource = Readonly<Record<string, unknown>> & { readonly resourceType: string; readonly id: string }

/** One of these patients with its resources. */
export function patientResources(seed: number): readonly Resource[] {
  const id = `p${seed}`
  const subject = { reference: `Patient/${id}` }
  const stay = (name: string, code: string, start: string, end: string): Resource => ({
    resourceType: 'Encounter',
    id: `${id}-${name}`,
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code },
    subject,
    period: { start: `${start}T10:00:00+01:00`, end: `${end}T12:00:00+01:00` },
  })
  return [
    {
      resourceType: 'Patient',
      id,
      gender: seed % 2 === 0 ? 'female' : 'male',
      birthDate: `${1930 + (seed % 40)}-06-15`,
    },
    stay('index', 'IMP', '2026-03-02', '2026-03-09'),
    stay('old', seed % 3 === 0 ? 'IMP' : 'EMER', '2025-09-10', '2025-09-15'),
    ...Array.from({ length: OBSERVATIONS }, (_, at): Resource => ({
      resourceType: 'Observation',
      id: `${id}-o${at}`,
      status: 'final',
      category: [
        {
          coding: [
            { system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' },
          ],
        },
      ],
      code: { coding: [{ system: 'http://loinc.org', code: at % 2 === 0 ? '718-7' : '2951-2' }] },
      subject,
      encounter: { reference: `Encounter/${id}-index` },
      effectiveDateTime: `2026-03-0${2 + (at % 7)}T0${at % 10}:00:00+01:00`,
      valueQuantity: {
        value: at % 2 === 0 ? 11.2 : 136,
        system: 'http://unitsofmeasure.org',
        code: at % 2 === 0 ? 'g/dL' : 'mmol/L',
      },
    })),
  ]
}
