/**
 * What becomes of outcomes before they are counted: late, missing, unknown, sent twice, corrected, or named wrongly. Each way is data of
 * the simulation `unknown-outcomes.ts`.
 */

/** Of whom an outcome is. */
export interface Patient {
  readonly odds: number
  /** From 0 to 9. */
  readonly ward: number
  readonly month: number
  /** Whether the patient died before the event, which the model takes as no event. */
  readonly hasDied: boolean
  /** A draw that is the same for all patients of a ward in a month. */
  readonly ofWard: number
}

/** How often an outcome comes. */
type Times = (draw: number, patient: Patient) => number

export interface Sender {
  readonly event: Times
  readonly other: Times
  /** Others are sent until so many of all outcomes have come. */
  readonly share?: number
  /** How often a patient is scored in the month; once where it is absent. Outcomes come as often as the two above say. */
  readonly scored?: Times
  /** What the service counts apart, such as the digests of two versions that are served in one month. */
  readonly partOf?: (patient: Patient) => number
  /** Outcomes that name the month after that of the answer. */
  readonly isOfNextMonth?: (draw: number) => boolean
  /** Events that are sent as none until the last month of the year, when all of them are corrected. */
  readonly isNoneAtFirst?: (draw: number) => boolean
  /** Each outcome brings its receipt. */
  readonly hasReceipts?: boolean
}

export const MONTHS_OF_YEAR = 12
const WARDS = 10
const DIED_SHARE = 0.2

/** What else is drawn of a patient. */
export function drawnPatient(
  base: Pick<Patient, 'odds' | 'month'> & { readonly isEvent: boolean; readonly ofWards: readonly number[] },
  random: () => number,
): Patient {
  const ward = Math.floor(random() * WARDS)
  const hasDied = !base.isEvent && random() < DIED_SHARE
  return { odds: base.odds, month: base.month, ward, hasDied, ofWard: base.ofWards[ward] as number }
}

export function drawWards(random: () => number): readonly number[] {
  return Array.from({ length: WARDS }, random)
}

const always = (): number => 1
const never = (): number => 0
const twice = (): number => 2
/** So many of the outcomes do not come. */
const without =
  (share: number): Times =>
  (draw) =>
    Number(draw >= share)
const both = (times: Times): Sender => ({ event: times, other: times })

export const SITUATIONS = {
  complete: both(always),
  'events first, to 80 %': { event: always, other: always, share: 0.8 },
  '20 % of events unknown': { event: without(0.2), other: always },
  '10 % of others missing': { event: always, other: without(0.1) },
  'events sent twice': { event: twice, other: always },
  '20 % missing at random': both(without(0.2)),
  'events only': { event: always, other: never },
} satisfies Readonly<Record<string, Sender>>

const isOfHalf = ({ ward }: Patient): boolean => ward < WARDS / 2
const calendarMonth = ({ month }: Patient): number => month % MONTHS_OF_YEAR
const yearOf = ({ month }: Patient): number => Math.floor(month / MONTHS_OF_YEAR)
const HOLIDAYS = 7
const unknownByRisk: Times = (draw, { odds }) => Number(draw >= 1 / (1 + Math.exp(-odds)))
/** From nothing in the first year to 54 % in the tenth. */
const unknownByYear: Times = (draw, patient) => Number(draw >= 0.06 * yearOf(patient))

/** Situations that are not those for which the rule was chosen. */
export const OTHER_SITUATIONS: Readonly<Record<string, Sender>> = {
  'half of the wards send': both((_draw, patient) => Number(isOfHalf(patient))),
  'half of the wards send events only': {
    event: always,
    other: (_draw, patient) => Number(isOfHalf(patient)),
  },
  'half of the events of half of the wards are late for ever': {
    event: (draw, patient) => (isOfHalf(patient) && draw < 0.5 ? 0 : 1),
    other: always,
  },
  'a ward never sends': both((_draw, { ward }) => Number(ward > 0)),
  'a ward never sends an event': { event: (_draw, { ward }) => Number(ward > 0), other: always },
  'wards are late for ever, another three each month': both((_draw, { ofWard }) => Number(ofWard >= 0.3)),
  'events of wards are late for ever, another three each month': {
    event: (_draw, { ofWard }) => Number(ofWard >= 0.3),
    other: always,
  },
  'unknown, the more often the higher the risk': both(unknownByRisk),
  'events unknown, the more often the higher the risk': { event: unknownByRisk, other: always },
  'unknown, more often each year': both(unknownByYear),
  'events unknown, more often each year': { event: unknownByYear, other: always },
  'others missing, more often each year': { event: always, other: unknownByYear },
  'a month of holidays: nothing': both((_draw, patient) => Number(calendarMonth(patient) !== HOLIDAYS)),
  'a month of holidays: events only': {
    event: always,
    other: (_draw, patient) => Number(calendarMonth(patient) !== HOLIDAYS),
  },
  'a month of holidays: half of the events': {
    event: (draw, patient) => (calendarMonth(patient) === HOLIDAYS && draw < 0.5 ? 0 : 1),
    other: always,
  },
  'winter events late, summer others missing': {
    event: (draw, patient) => (calendarMonth(patient) < 6 && draw < 0.4 ? 0 : 1),
    other: (draw, patient) => (calendarMonth(patient) >= 6 && draw < 0.4 ? 0 : 1),
  },
  'late events only: half of them, no others': { event: without(0.5), other: never },
  'nothing in the first year, then all': both((_draw, patient) => Number(yearOf(patient) > 0)),
  'deaths not sent, events first to 80 %': {
    event: always,
    other: (_draw, { hasDied }) => Number(!hasDied),
    share: 0.8,
  },
  'all sent twice': both(twice),
  'others sent twice': { event: always, other: twice },
  'twice in even months, 30 % missing in odd ones': both((draw, { month }) =>
    month % 2 === 0 ? 2 : Number(draw >= 0.3),
  ),
  'two versions a month: one twice, of the other only events': {
    event: (_draw, patient) => (isOfHalf(patient) ? 2 : 1),
    other: (_draw, patient) => (isOfHalf(patient) ? 2 : 0),
    partOf: (patient) => Number(isOfHalf(patient)),
  },
  'two versions a month: events of one twice, others of the other missing': {
    event: (_draw, patient) => (isOfHalf(patient) ? 2 : 1),
    other: (_draw, patient) => Number(isOfHalf(patient)),
    partOf: (patient) => Number(isOfHalf(patient)),
  },
  'scored one to four times, one outcome': { ...both(always), scored: (draw) => 1 + Math.floor(4 * draw) },
  'three in ten were not counted at scoring': { ...both(always), scored: without(0.3) },
  'three in ten were not counted at scoring, events only': {
    event: always,
    other: never,
    scored: without(0.3),
  },
  'one in twenty was not counted at scoring, 10 % of others missing': {
    event: always,
    other: without(0.1),
    scored: (draw) => Number(draw < 0.95),
  },
  'one in thirty with the month after': { ...both(always), isOfNextMonth: (draw) => draw < 1 / 30 },
  'one in thirty with the month after, events first to 80 %': {
    ...both(always),
    share: 0.8,
    isOfNextMonth: (draw) => draw < 1 / 30,
  },
  'receipts sent twice, 10 % of others missing': {
    event: twice,
    other: without(0.1),
    hasReceipts: true,
  },
  'receipts sent twice, 20 % of events unknown': {
    event: (draw) => (draw < 0.2 ? 0 : 2),
    other: twice,
    hasReceipts: true,
  },
}

/** Outcomes that came twice while others of their bins are missing. Bins with one patient show it. */
export const TWICE_AND_MISSING = {
  'events twice, 10 % of others missing': { event: twice, other: without(0.1) },
  'others twice, 10 % of events missing': { event: without(0.1), other: twice },
  'a third of events twice, 10 % of others missing': {
    event: (draw) => (draw < 1 / 3 ? 2 : 1),
    other: without(0.1),
  },
  '4 % of events twice, 10 % of others missing': {
    event: (draw) => (draw < 0.04 ? 2 : 1),
    other: without(0.1),
  },
  'wards send all twice or nothing, two each month': both((_draw, { ofWard }) => {
    if (ofWard < 0.2) return 0
    return ofWard < 0.4 ? 2 : 1
  }),
} satisfies Readonly<Record<string, Sender>>

/** What no rule can see: what was sent is not true. */
export const NOT_TRUE = {
  'one event in ten is none until the end of the year': {
    ...both(always),
    isNoneAtFirst: (draw) => draw < 0.1,
  },
} satisfies Readonly<Record<string, Sender>>

export const missing = (share: number): Sender => both(without(share))
