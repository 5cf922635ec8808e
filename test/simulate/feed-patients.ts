/**
 * Invented older inpatients of invented hospitals, for the simulation of feeds. Hospitals differ in case mix, laboratory and habits.
 * Frailty and illness move the values of a patient together, as they do in wards.
 */
import { randomFrom } from '@patient-risk/statistics'

export type PatientRecord = Readonly<Record<string, unknown>>

interface Chance {
  readonly normal: () => number
  readonly yes: (probability: number) => boolean
  readonly count: (mean: number) => number
  readonly some: (of: number, probability: number) => number
}

function chanceFrom(seed: number): Chance {
  const random = randomFrom(seed)
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const yes = (probability: number): boolean => random() < probability
  const count = (mean: number): number => {
    let found = 0
    for (let left = random(); left > Math.exp(-mean); left *= random()) found++
    return found
  }
  const some = (of: number, probability: number): number => {
    let found = 0
    for (let at = 0; at < of; at++) found += Number(yes(probability))
    return found
  }
  return { normal, yes, count, some }
}

const BARTHEL: Readonly<Record<string, number>> = {
  feeding: 2,
  bathing: 1,
  grooming: 1,
  dressing: 2,
  bowels: 2,
  bladder: 2,
  toiletUse: 2,
  chairTransfers: 3,
  mobility: 3,
  stairs: 2,
}

/** How far a hospital lies from the others. */
interface Site {
  readonly age: number
  readonly frail: number
  readonly ill: number
  readonly women: number
  readonly admissions: number
  readonly stay: number
  readonly haemoglobin: number
  readonly creatinine: number
  readonly albumin: number
}

function siteOf({ normal }: Chance): Site {
  return {
    age: 2 * normal(),
    frail: 0.3 * normal(),
    ill: 0.3 * normal(),
    women: 0.2 * normal(),
    admissions: 0.25 * normal(),
    stay: 0.2 * normal(),
    haemoglobin: 0.35 * normal(),
    creatinine: 0.08 * normal(),
    albumin: 0.15 * normal(),
  }
}

/** Patients of one hospital, each once. */
export function patientsOf(site: number, count: number): readonly PatientRecord[] {
  const at = siteOf(chanceFrom(7_000 + site))
  const chance = chanceFrom(900_000 + site)
  return Array.from({ length: count }, (_, index) => ({ idx: index + 1, ...patient(at, chance) }))
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

function patient(at: Site, { normal, yes, count, some }: Chance): PatientRecord {
  const age = Math.round(within(80.5 + at.age + 7.2 * normal(), 65, 100))
  const old = (age - 80) / 7
  const isMan = !yes(logistic(0.1 + 0.25 * old + at.women))
  const ill = normal() + at.ill
  const frail = 0.45 * old + 0.4 * ill + 0.75 * normal() + at.frail
  const use = Math.exp(0.35 * ill + 0.45 * normal())
  const inpatientAdmissions = count(0.75 * use * Math.exp(at.admissions))
  const emergencyAdmissions = count(0.9 * use)
  const stayDays = Math.round(within(Math.exp(5.05 + at.stay + 0.2 * frail + 0.62 * normal()), 5, 2_000) / 24)
  const creatinine = Math.exp(at.creatinine + 0.16 * ill + 0.08 * old + 0.34 * normal())
  const kidney = (isMan ? 1.12 : 0.9) * creatinine > 1.6
  const has = (base: number): boolean => yes(logistic(base + 0.4 * ill))
  const heart = has(-1.2)
  const lung = has(-1.3)
  const dementia = yes(logistic(-1.7 + 0.9 * frail + 0.3 * old))
  const tumour = has(-2)
  const metastatic = tumour && yes(0.25)
  const barthel = Object.entries(BARTHEL).map(([item, steps]) => {
    return [`barthel_${item}`, 5 * some(steps, logistic(1.6 - 1.25 * frail + 0.5 * normal()))] as const
  })
  const charlson = {
    charlson_congestiveHeartFailure: Number(heart),
    charlson_chronicPulmonaryDisease: Number(lung),
    charlson_dementia: Number(dementia),
    charlson_renalDisease: kidney ? 2 : 0,
    charlson_solidTumor: metastatic ? 6 : tumour ? 2 : 0,
  }
  const lace = 2 * (Number(heart) + Number(lung)) + 3 * Number(dementia) + 4 * Number(kidney)
  const weight = round(within((isMan ? 76 : 65) - 3 * frail + 11 * normal(), 35, 140), 1)
  return {
    age,
    sex: isMan ? 'M' : 'F',
    inpatientAdmissions,
    emergencyAdmissions,
    stayDays,
    edVisits6Months: some(emergencyAdmissions, 0.55),
    acuteAdmission: yes(0.8),
    oncologyService: tumour && yes(0.25),
    haemoglobin: round(
      within((isMan ? 12.7 : 11.9) + at.haemoglobin - 0.4 * ill + 1.6 * normal(), 5.5, 18),
      1,
    ),
    sodium: Math.round(within(138.6 - 0.7 * ill + 3.7 * normal(), 115, 158)),
    creatinine: round((isMan ? 1.12 : 0.9) * creatinine, 2),
    albumin: round(within(3.5 + at.albumin - 0.16 * frail - 0.1 * ill + 0.42 * normal(), 1.4, 5.2), 1),
    congestiveHeartFailure: heart,
    cancer: metastatic ? 'metastatic' : tumour ? 'solitary' : 'none',
    activeNeoplasia: metastatic || (tumour && yes(0.5)),
    dementia,
    deliriumLastAdmission: inpatientAdmissions > 0 && yes(logistic(-1.8 + 0.8 * frail)),
    nyhaOrMrc3to4: (heart || lung) && yes(0.45),
    caregiver: yes(0.22) ? 'none' : yes(0.5) ? 'spouse' : 'other',
    unmarried: yes(logistic((isMan ? -0.7 : 0.8) + 0.5 * old)),
    ...Object.fromEntries(barthel),
    barthel_total: barthel.reduce((sum, [, points]) => sum + points, 0),
    barthel_date: '12-10-2026',
    ...charlson,
    charlson_total: Object.values(charlson).reduce((sum, points) => sum + points, 0),
    laceCharlson_total: lace + (metastatic ? 6 : 2 * Number(tumour)),
    mmse_total: Math.round(within(26 - (dementia ? 9 : 0) - 1.5 * frail + 2.5 * normal(), 0, 30)),
    must_height: round((isMan ? 168 : 155) - 1.2 * old + 6.5 * normal(), 1),
    must_weight: weight,
    news2_systolicBpReading: Math.round(within(135 + 21 * normal(), 70, 230)),
    news2_pulseReading: Math.round(within(80 + 14 * normal(), 35, 170)),
    news2_temperatureReading: round(36.6 + 0.4 * normal(), 1),
  }
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value))
const within = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value))
const round = (value: number, digits: number): number => Number(value.toFixed(digits))
