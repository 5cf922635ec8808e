/** Encounters to counts: ward moves, levels of an Encounter, and classes that the mapping does not know. */
import { checkRecords } from '../record-cases.ts'
import { OLD, type Resource, STAY, encounter } from '../source.ts'

const partOf = (id: string): Resource => ({ partOf: { reference: `Encounter/${id}` } })
const GERMAN = (code: string): Resource => ({
  type: [{ coding: [{ system: 'http://fhir.de/CodeSystem/Kontaktebene', code }] }],
})
const COMPLETE = { history: 'complete' }
const LOCAL = { class: { system: 'http://local.example', code: 'ward' } }

checkRecords([
  {
    name: 'a ward move that is part of a stay is no admission',
    resources: [STAY, OLD, encounter('ward', 'IMP', '2025-09-12', '2025-09-13', partOf('old'))],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'a ward move of the index stay is no admission and no index stay',
    resources: [
      STAY,
      OLD,
      encounter('ward', 'IMP', '2026-03-05T08:00:00+01:00', '2026-03-09T12:00:00+01:00', partOf('index')),
    ],
    record: { inpatientAdmissions: 1, stayDays: 7 },
  },
  {
    name: 'levels of German Encounters: one stay',
    resources: [
      { ...STAY, ...GERMAN('einrichtungskontakt') },
      OLD,
      encounter('dep', 'IMP', '2026-03-05', '2026-03-09', GERMAN('abteilungskontakt')),
    ],
    record: { inpatientAdmissions: 1, stayDays: 7 },
  },
  {
    name: 'observation and short stay do not count',
    resources: [
      STAY,
      OLD,
      encounter('o', 'OBSENC', '2025-12-01', '2025-12-02'),
      encounter('s', 'SS', '2025-12-03', '2025-12-03'),
    ],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'a class that the mapping does not know makes the counts uncertain',
    resources: [
      STAY,
      OLD,
      {
        ...encounter('m', 'IMP', '2025-12-01', '2025-12-02'),
        class: { system: 'http://local.example', code: 'EW EMER.' },
      },
    ],
    record: { inpatientAdmissions: null, emergencyAdmissions: null },
  },
  {
    name: 'a latest Encounter of an unknown class: no earlier stay takes its place',
    resources: [{ ...STAY, ...LOCAL }, OLD],
    query: COMPLETE,
    record: { stayDays: null, inpatientAdmissions: null, age: null },
  },
  {
    name: 'an earlier Encounter of an unknown class does not hide the latest stay',
    resources: [STAY, { ...OLD, ...LOCAL }],
    record: { stayDays: 7, inpatientAdmissions: null },
  },
  {
    name: 'a named stay may have an unknown class',
    resources: [{ ...STAY, ...LOCAL }, OLD],
    query: { encounter: ['Encounter/index'] },
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  ...['#p', 'Patient?identifier=http://h.example|1'].map((reference) => ({
    name: `whose Encounter it is that refers to ${reference} is open, so the history is not complete`,
    resources: [STAY, { ...OLD, subject: { reference } }],
    query: COMPLETE,
    record: { inpatientAdmissions: null, stayDays: 7 },
  })),
  {
    name: 'a named ward move means the stay that it is part of',
    resources: [
      STAY,
      OLD,
      encounter('ward', 'IMP', '2026-03-05T08:00:00+01:00', '2026-03-09T12:00:00+01:00', partOf('index')),
      encounter('bed', 'IMP', '2026-03-06T08:00:00+01:00', '2026-03-09T12:00:00+01:00', partOf('ward')),
    ],
    query: { encounter: ['Encounter/bed'] },
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  {
    name: 'a named ward move by its level, without its stay, is not an index stay',
    resources: [{ ...STAY, ...GERMAN('abteilungskontakt') }, OLD],
    query: { encounter: ['Encounter/index'] },
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'ward moves of a stay that was not sent make the count uncertain',
    resources: [
      STAY,
      OLD,
      ...['a', 'b'].map((id) => encounter(id, 'IMP', '2025-12-01', '2025-12-02', partOf('gone'))),
    ],
    query: COMPLETE,
    record: { stayDays: 7, inpatientAdmissions: null, emergencyAdmissions: 0 },
  },
  {
    name: 'a latest Encounter that is part of one that was not sent is not taken for the stay',
    resources: [{ ...STAY, ...partOf('gone') }, OLD],
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'an Encounter that is part of one that was not sent is the stay where it is named',
    resources: [{ ...STAY, ...partOf('gone') }, OLD],
    query: { encounter: ['Encounter/index'] },
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  {
    name: 'an outpatient level that is named is still no inpatient stay',
    resources: [STAY, OLD, encounter('x', 'AMB', '2026-03-10', '2026-03-10', GERMAN('abteilungskontakt'))],
    query: { encounter: ['Encounter/x'] },
    record: { stayDays: null },
  },
])
