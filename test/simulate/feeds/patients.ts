/**
 * Invented older inpatients of invented hospitals, for the simulation of feeds. Hospitals differ in case mix, laboratory and habits.
 * Frailty and illness move the values of a patient together, as they do in wards. Names that begin with `_` are what a sender may write
 * in place of a field: other windows, other quantities.
 */

export type PatientRecord = Readonly<Record<string, unknown>>

/** The newest assessment: 31 October 2026. */
const LAST_DAY = Date.UTC(2026, 9, 31)
const THIS_YEAR = 2026
const DAY_MS = 86_400_000

interface Chance {
  readonly uniform: () => number
  readonly normal: () => number
  readonly yes: (probability: number) => boolean
  /** How many of something with this mean. */
  readonly count: (mean: number) => number
  /** How many of so many. */
  readonly some: (of: number, probability: number) => number
}

function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const yes = (probability: number): boolean => uniform() < probability
  const count = (mean: number): number => {
    let found = 0
    for (let left = uniform(); left > Math.exp(-mean); left *= uniform()) found++
    return found
  }
  const some = (of: number, probability: number): number => {
    let found = 0
    for (let at = 0; at < of; at++) found += Number(yes(probability))
    return found
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return { uniform, normal, yes, count, some }
}

/** Items of the Barthel index: the highest points, and how hard the item is. */
const BARTHEL: Readonly<Record<string, readonly [highest: number, hard: number]>> = {
  feeding: [10, -1.5],
  bathing: [5, 0.9],
  grooming: [5, -0.5],
  dressing: [10, 0.2],
  bowels: [10, -0.7],
  bladder: [10, 0],
  toiletUse: [10, -0.2],
  chairTransfers: [15, -0.4],
  mobility: [15, 0.1],
  stairs: [10, 0.8],
}

/** How far a hospital may lie from the others, as a standard deviation. */
const SPREAD = {
  age: 2,
  frail: 0.3,
  ill: 0.3,
  women: 0.2,
  admissions: 0.25,
  visits: 0.3,
  stay: 0.2,
  haemoglobin: 0.35,
  creatinine: 0.08,
  albumin: 0.15,
  sodium: 0.7,
  acute: 0.5,
  alone: 0.3,
  weight: 2,
} as const
type Site = Readonly<Record<keyof typeof SPREAD, number>>

function siteOf(site: number): Site {
  const { normal } = chanceFrom(site * 7919 + 13)
  return Object.fromEntries(Object.entries(SPREAD).map(([name, spread]) => [name, spread * normal()])) as Site
}

/** Patients of one hospital, each once, with what a sender may write in place of a field. */
export function patientsWithHidden(site: number, count: number): readonly PatientRecord[] {
  const at = siteOf(site)
  const chance = chanceFrom(900_000 + site)
  return Array.from({ length: count }, (_, index) => ({ idx: index + 1, ...patient(at, chance) }))
}

/** Patients of one hospital, each once. */
export function patientsOf(site: number, count: number): readonly PatientRecord[] {
  return patientsWithHidden(site, count).map(withoutHidden)
}

/** A record as it is sent. */
export function withoutHidden(record: PatientRecord): PatientRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('_')))
}

/** The record without a field. */
export function lacking(record: PatientRecord, field: string): PatientRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== field))
}

/** Records of one hospital in blocks of one patient, who comes one to seven times. */
export function blocksOf(site: number, count: number): readonly PatientRecord[] {
  const chance = chanceFrom(500_000 + site)
  const found: PatientRecord[] = []
  for (const each of patientsOf(site, Math.ceil(count / 3))) {
    const times = 1 + chance.some(6, 0.5)
    for (let time = 0; time < times && found.length < count; time++)
      found.push({ ...each, ...measuredAgain(each, chance), idx: found.length + 1 })
  }
  return found
}

/** A patient who comes again has other measurements. */
function measuredAgain(
  { haemoglobin, must_weight, news2_pulseReading }: PatientRecord,
  { normal }: Chance,
): PatientRecord {
  return {
    haemoglobin: round(Math.max(5, Number(haemoglobin) + 0.6 * normal()), 1),
    must_weight: round(Number(must_weight) + normal(), 1),
    news2_pulseReading: Math.round(within(Number(news2_pulseReading) + 8 * normal(), 35, 170)),
  }
}

/** What the fields of one patient follow from. */
interface Person {
  readonly age: number
  /** Age in standard deviations of the population, from 80. */
  readonly old: number
  readonly isMan: boolean
  readonly ill: number
  readonly frail: number
  /** How much care the patient uses. */
  readonly use: number
}

function patient(at: Site, chance: Chance): PatientRecord {
  const { normal, yes } = chance
  const age = Math.round(within(80.5 + at.age + 7.2 * normal(), 65, 100))
  const old = (age - 80) / 7
  const isMan = !yes(logistic(0.1 + 0.25 * old + at.women))
  const ill = normal() + at.ill
  const frail = 0.45 * old + 0.4 * ill + 0.75 * normal() + at.frail
  const person = { age, old, isMan, ill, frail, use: Math.exp(0.35 * ill + 0.45 * normal()) }
  const visits = visitsOf(person, at, chance)
  const laboratory = laboratoryOf(person, at, chance)
  const illnesses = illnessesOf(person, at, chance, visits, laboratory)
  return {
    age,
    sex: isMan ? 'M' : 'F',
    ...visits,
    ...laboratory,
    ...illnesses,
    ...assessmentsOf(person, at, chance, illnesses),
    _birthYear: THIS_YEAR - age - (yes(0.17) ? 1 : 0),
    _ageMonths: age * 12 + Math.floor(12 * chance.uniform()),
  }
}

function visitsOf({ ill, frail, use }: Person, at: Site, { normal, count, some, yes }: Chance): Visits {
  const inpatientAdmissions = count(0.75 * use * Math.exp(at.admissions))
  const emergencyAdmissions = count(0.9 * use * Math.exp(at.visits))
  const hours = within(Math.exp(5.05 + at.stay + 0.2 * frail + 0.62 * normal()), 5, 2_000)
  const edVisits6Months = some(emergencyAdmissions, 0.55)
  return {
    inpatientAdmissions,
    emergencyAdmissions,
    stayDays: Math.round(hours / 24),
    acuteAdmission: yes(logistic(1.5 + at.acute)),
    edVisits6Months,
    primaryCareVisits12Months: count(7 * use),
    procedureDuringStay: yes(logistic(-0.6 + 0.1 * ill)),
    _admissions6: some(inpatientAdmissions, 0.58),
    _visits6: edVisits6Months,
    _admissions60: inpatientAdmissions + count(1.9 * use),
    _hours: Math.round(hours),
  }
}

interface Visits extends PatientRecord {
  readonly inpatientAdmissions: number
}

function laboratoryOf({ isMan, ill, old, frail }: Person, at: Site, { normal }: Chance): Laboratory {
  const haemoglobin = round(
    within((isMan ? 12.7 : 11.9) + at.haemoglobin - 0.4 * ill + 1.6 * normal(), 5.5, 18),
    1,
  )
  const creatinine = round(
    (isMan ? 1.12 : 0.9) * Math.exp(at.creatinine + 0.16 * ill + 0.08 * old + 0.34 * normal()),
    2,
  )
  const albumin = round(within(3.5 + at.albumin - 0.16 * frail - 0.1 * ill + 0.42 * normal(), 1.4, 5.2), 1)
  return {
    haemoglobin,
    sodium: Math.round(within(138.6 + at.sodium - 0.7 * ill + 3.7 * normal(), 115, 158)),
    creatinine,
    albumin,
    _haematocrit: round(haemoglobin * 2.95 + normal(), 1),
    _protein: round(albumin + 2.9 + 0.35 * normal(), 1),
    _chloride: Math.round(102 + 3.5 * normal()),
    _urea: Math.round(45 * creatinine ** 0.8 * Math.exp(0.25 * normal())),
  }
}

interface Laboratory extends PatientRecord {
  readonly creatinine: number
}

interface Illnesses extends PatientRecord {
  readonly dementia: boolean
}

function illnessesOf(
  { ill, old, frail, isMan }: Person,
  at: Site,
  { normal, yes }: Chance,
  { inpatientAdmissions }: Visits,
  { creatinine }: Laboratory,
): Illnesses {
  const has = (base: number, byIll = 0.5, byFrail = 0): boolean =>
    yes(logistic(base + byIll * ill + byFrail * frail))
  const heart = has(-1.2, 0.7, 0.1)
  const lung = has(-1.3, 0.4)
  const dementia = yes(logistic(-1.7 + 0.9 * frail + 0.3 * old))
  const tumour = has(-2, 0.4)
  const metastatic = tumour && yes(0.25)
  const diabetes = has(-0.9, 0.4)
  const damage = diabetes && yes(0.3)
  const kidney = creatinine > 1.6
  const infarct = has(-1.9)
  const vessels = has(-2)
  const stroke = has(-1.8, 0.2, 0.4)
  const joints = has(-3, 0.2)
  const ulcer = has(-3, 0.2)
  const liver = has(-3.6)
  const severeLiver = liver && yes(0.3)
  const blood = has(-4.2, 0.3)
  const unmarried = yes(logistic((isMan ? -0.7 : 0.8) + 0.5 * old + at.alone))
  const charlson = {
    myocardialInfarction: Number(infarct),
    congestiveHeartFailure: Number(heart),
    peripheralVascularDisease: Number(vessels),
    cerebrovascularDisease: Number(stroke),
    dementia: Number(dementia),
    chronicPulmonaryDisease: Number(lung),
    connectiveTissueDisease: Number(joints),
    ulcerDisease: Number(ulcer),
    liverDisease: severeLiver ? 3 : Number(liver),
    diabetes: damage ? 2 : Number(diabetes),
    hemiplegia: 0,
    renalDisease: kidney ? 2 : 0,
    solidTumor: metastatic ? 6 : tumour ? 2 : 0,
    leukemia: blood ? 2 : 0,
    lymphoma: 0,
    aids: 0,
  }
  const lace = {
    previousMyocardialInfarction: Number(infarct),
    cerebrovascularDisease: Number(stroke),
    peripheralVascularDisease: Number(vessels),
    diabetesWithoutComplications: Number(diabetes && !damage),
    congestiveHeartFailure: 2 * Number(heart),
    diabetesEndOrganDamage: 2 * Number(damage),
    chronicPulmonaryDisease: 2 * Number(lung),
    mildLiverOrRenalDisease: liver && !severeLiver && !kidney ? 2 : 0,
    anyTumor: tumour && !metastatic ? 2 : 0,
    dementia: 3 * Number(dementia),
    connectiveTissueDisease: 3 * Number(joints),
    aids: 0,
    moderateSevereLiverOrRenalDisease: severeLiver || kidney ? 4 : 0,
    metastaticSolidTumor: 6 * Number(metastatic),
  }
  return {
    oncologyService: tumour && yes(0.25),
    congestiveHeartFailure: heart,
    cancer: metastatic ? 'metastatic' : tumour ? 'solitary' : 'none',
    activeNeoplasia: metastatic || (tumour && yes(0.5)),
    dementia,
    nyhaOrMrc3to4: (heart || lung) && has(-0.2, 0.6, 0.3),
    deliriumLastAdmission: inpatientAdmissions > 0 && has(-1.8, 0.2, 0.8),
    caregiver: yes(0.22) ? 'none' : unmarried ? 'other' : yes(0.75) ? 'spouse' : 'other',
    unmarried,
    ...withTotal('charlson', charlson),
    ...withTotal('laceCharlson', lace),
    _hba1c: round(within(5.8 + (diabetes ? 1.3 : 0) + 0.6 * normal(), 4.3, 13), 1),
  }
}

function assessmentsOf(
  { isMan, old, ill, frail }: Person,
  at: Site,
  { normal, yes, some, count, uniform }: Chance,
  { dementia }: Illnesses,
): PatientRecord {
  const barthel = Object.fromEntries(
    Object.entries(BARTHEL).map(([item, [highest, hard]]) => {
      return [item, 5 * some(highest / 5, logistic(1.6 - 1.25 * frail - 1.1 * hard + 0.5 * normal()))]
    }),
  )
  const mmse = Math.round(within(26 - (dementia ? 9 : 0) - 1.5 * frail + 2.5 * normal(), 0, 30))
  const must_weight = round(within((isMan ? 76 : 65) + at.weight - 3 * frail + 11 * normal(), 35, 140), 1)
  const fever = Number(yes(0.08))
  const seen = dateText(LAST_DAY - DAY_MS * Math.floor(300 * uniform()))
  return {
    ...withTotal('barthel', barthel),
    barthel_date: seen,
    mmse_total: mmse,
    mmse_date: seen,
    must_height: round((isMan ? 168 : 155) - 1.2 * old + 6.5 * normal(), 1),
    must_weight,
    must_weightBefore: round(must_weight * (1 + Math.abs(0.05 * normal())), 1),
    news2_respirationRateReading: Math.round(within(18 + 2 * ill + 3 * normal(), 8, 45)),
    news2_spo2Reading: Math.round(within(95.5 - 0.8 * ill + 2.2 * normal(), 70, 100)),
    news2_systolicBpReading: Math.round(within(135 + 21 * normal(), 70, 230)),
    news2_pulseReading: Math.round(within(80 + 14 * normal() + 12 * fever, 35, 170)),
    news2_temperatureReading: round(36.6 + 0.4 * normal() + 1.3 * fever, 1),
    news2_date: seen,
    _diastolic: Math.round(75 + 11 * normal()),
    _before: Math.min(100, sumOf(barthel) + 5 * count(2.4)),
    _mec: Math.round((mmse * 35) / 30),
  }
}

/** The items of a scale and their sum. */
function withTotal(scale: string, items: Readonly<Record<string, number>>): Record<string, number> {
  const named = Object.entries(items).map(([item, points]) => [`${scale}_${item}`, points] as const)
  return { ...Object.fromEntries(named), [`${scale}_total`]: sumOf(items) }
}

const sumOf = (items: Readonly<Record<string, number>>): number =>
  Object.values(items).reduce((sum, points) => sum + points, 0)

function dateText(at: number): string {
  const [year, month, day] = new Date(at).toISOString().slice(0, 10).split('-')
  return `${day}-${month}-${year}`
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value))
const within = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value))
const round = (value: number, digits: number): number => Number(value.toFixed(digits))
