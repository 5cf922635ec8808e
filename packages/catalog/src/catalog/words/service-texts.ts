/** What the service itself says to people, in FHIR resources, cards and the model card: sentences with named parts, in English. */
import { REASONS } from 'patient-risk-engine'
import { DOUBT_SENTENCES, PROBLEM_SENTENCES, SENTENCES } from 'patient-risk-engine/words'
import { FHIR_REASONS } from '../../languages/fhir-reasons.ts'
import { MODEL_PAGE_TEXTS, PAGE_TEXTS, SCALE_PAGE_TEXTS } from './page-texts.ts'

/** Reasons of a risk and what stands beside it, in FHIR and in cards. */
export const REASON_TEXTS = {
  sum: 'Sum of points {score}',
  compared: "Sum of points {score}. Compared with the typical patient of the model's data ({risk} %)",
  intercept: 'intercept',
  absentValue: '{field} absent',
  computed: 'computed',
  assumed: 'assumed',
  and: '{first} and {last}',
  at: 'at {risk} %',
  between: 'between {low} % and {high} %',
  rangeOne: 'The risk lies {ends}, whatever {fields} is{usual}{decided}.',
  rangeMany: 'The risk lies {ends}, whatever {fields} are{usual}{decided}.',
  usualTail: ', and {ends} for usual values',
  decidedTail: '; the answer {answer} does not change',
  band: '{scale}: {band} ({scheme}).',
  bandUnconfirmed: '{scale}: {band} ({scheme}, not confirmed).',
  alarm:
    'Calibration alarm of {month}: the outcomes of this hospital do not fit the risks of this model. This risk may be too high or too low here.',
  yes: 'Yes',
  no: 'No',
} as const

/** FHIR only. */
export const FHIR_TEXTS = {
  about: '{outcome} From {start} to {end}, assessed as of {day}.',
  atOrAbove: 'Yes: the risk is at or above {threshold} %',
  under: 'No: the risk is below {threshold} %',
  notFound: '{field}: not found. {why}',
  noneGiven: '{field}: none in the given history',
} as const

/** Cards of CDS Hooks only. */
export const CARD_TEXTS = {
  line: '{answer} (line at {threshold} %)',
  from: 'from',
  points: 'points',
  notUsed: 'Not used:',
  missing: '{field}: missing',
  noRisk: '{model}: no risk, because {fields} is missing',
  open: 'Open the scoring page',
  notApplicable: 'Does not apply to this patient',
  alreadyPlanned: 'Follow-up is planned already',
  dataWrong: 'The data is wrong or out of date',
} as const

/** The page of a model's card. */
export const MODEL_CARD_TEXTS = {
  kind: 'Model card',
  predicts: 'Predicts',
  horizon: 'Horizon',
  death: 'Death before the outcome',
  answer: 'Answer',
  probability: 'A probability',
  yesFrom: 'Yes from a risk of {threshold}',
  model: 'Model',
  modelDigest: 'Digest of the model',
  deploymentDigest: 'Digest of the deployment',
  intendedUse: 'Intended use',
  forWhom: 'For whom',
  users: 'Users: {users}',
  inputs: 'Inputs',
  calibration: 'Calibration',
  limits: 'Limits',
  source: 'Source',
  licence: 'Licence',
  shipped: 'Shipped: {what}',
  year: '1 year',
  years: '{n} years',
  days: '{n} days',
  deathNone: 'counts as no event',
  deathEvent: 'counts as the event',
  deathCensored: 'ends the observation',
  deathImpossible: 'is the outcome itself',
  deathUnstated: 'the source does not say what it counts as',
  field: 'Field',
  meaning: 'Meaning',
  permitted: 'Permitted',
  unit: 'Unit',
  window: 'Window, includes, excludes',
  whenAbsent: 'When absent',
  includes: 'includes {what}',
  excludes: 'excludes {what}',
  reported: 'reported; no number',
  taken: 'taken as {value}: {why}',
  absent: 'absent',
  wholeNumber: 'whole number, {from} to {to}',
  number: 'number, {from} to {to}',
  trueOrFalse: 'true or false',
  day: 'DD-MM-YYYY, not in the future',
  text: 'text',
  range: '{from} to {to}',
  rangeOf: '{from} to {to}, {n} values',
  rangeInSteps: '{from} to {to} in steps of {step}',
} as const

/** What every language needs beside the texts of the clinical files. */
export const SERVICE_TEXTS: readonly string[] = [
  ...new Set(
    [
      SENTENCES,
      PROBLEM_SENTENCES,
      REASONS,
      REASON_TEXTS,
      FHIR_TEXTS,
      FHIR_REASONS,
      CARD_TEXTS,
      MODEL_CARD_TEXTS,
      PAGE_TEXTS,
      MODEL_PAGE_TEXTS,
      SCALE_PAGE_TEXTS,
      DOUBT_SENTENCES,
    ].flatMap((texts) => Object.values<string>(texts)),
  ),
]
