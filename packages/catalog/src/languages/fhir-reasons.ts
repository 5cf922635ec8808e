/** Why FHIR gave no value for a field, or no risk for a patient: sentences with named parts, in English. */
export const FHIR_REASONS = {
  notMapped: 'The mapping does not say where it is found. Send it as an Observation ({system}).',
  leftOut: 'What may belong to this patient was left out, so the history is not complete: {places}.',
  leftOutMore:
    'What may belong to this patient was left out, so the history is not complete: {places} and {n} more.',

  noStay: 'There is no index stay: no inpatient Encounter that has begun.',
  notInpatient: 'The named Encounter is not an inpatient stay.',
  namedIsPart: 'The named Encounter is {part}.',
  partOfUnsent: 'part of one that was not sent',
  partOfOther: 'part of one that was at another time, or of itself',
  partOfUnclear: 'part of one that is not clear',
  notTakenPlace: 'The named Encounter did not take place.',
  namedMayBegin: 'The named Encounter may have begun after the moment (asOf).',
  namedNotBegun: 'The named Encounter has not begun.',
  namedNotUsable: 'The named Encounter cannot be used.',
  nameTheStay: '{why} Name the index stay.',
  latestNotUsable: 'The latest stay may be an Encounter that cannot be used, {place}.',
  latestNoStart: 'An inpatient Encounter has no usable start.',
  latestMayBegin: 'The latest stay may have begun after the moment.',
  latestClass: 'The class of the latest Encounter is not in the mapping.',
  severalLatest: 'Several inpatient Encounters begin last.',
  latestIsPart: 'The latest inpatient Encounter is {part}.',
  latestStatus: 'The status of the latest inpatient Encounter is not known.',
  endedAndBegan: 'One stay ended at the moment (asOf), or on its day, and another began.',
  sameNumber: 'Two Encounters have the same number, so they may be one.',
  staysOverlap: 'Two stays overlap, so they may be one.',
  visitsOverlap: 'Two emergency visits overlap, so they may be one.',

  noStart: 'The index stay has no usable start.',
  noEnd: 'The index stay is finished and has no end.',
  notEnded: 'The index stay has not ended. Name a day with asOf.',
  endOfCurrent: 'The index stay has an end, and its status says that it goes on.',
  endAhead: 'The end of the index stay lies in the future.',
  endElsewhere:
    'The end of the index stay is written in another offset than that of the hospital (timeZone), so its day is not certain.',
  endWrong: 'The end of the index stay is not a date, or lies before its start.',
  periodMayBeOver:
    'The index stay has no end, so the period of the risk may be over. Name the moment of the assessment (asOf).',
  periodOver:
    'The period of the risk was over on {day}. Name the moment of the assessment (asOf) to get one.',

  notFarBack: 'The Encounters were not searched as far back as the window of this value.',
  formOfR5: 'An Encounter has the form of FHIR R5.',
  classInWindow: 'The class of an Encounter in the window is not in the mapping.',
  statusInWindow: 'The status of an Encounter in the window is not known.',
  mayHaveLed: 'An emergency visit may or may not have led to the index stay.',
  earlierOpen: 'An earlier Encounter has not ended, so it may be a mistake.',
  isPartInWindow: 'An Encounter in the window is {part}.',
  noStartInWindow: 'An Encounter has no start that shows whether it came before.',
  noEarlierEncounter:
    'No Encounter from before the window was sent, and the history is not stated to be complete (history=complete).',
  namesUnsent: 'An Encounter that {place} names was not sent, so the history is not complete.',
  severalEarlier: 'Several earlier stays are the latest.',
  maybePrimaryCare: 'A visit does not say whether it was to primary care.',
  primaryCareOpen: 'A visit to primary care has not ended, or has no start.',
  noPrimaryCare: 'No earlier visit to primary care was sent, and the history is not stated to be complete.',

  noBirthDate: 'The Patient has no birth date.',
  birthNotADate: 'The birth date is not a date.',
  birthOpen: 'The birth date is partial or later than the stay, so the age is not certain.',
  codesContradict: 'Its codes contradict each other.',
  noKnownCode: '{resource} has no code that the mapping knows.',

  mayCount: 'Its time, status, subject or value leaves open whether it counts: {place}.',
  noObservation: 'No Observation has one of its codes.',
  noFinal: 'No Observation with its code has a final status and a value.',
  noneInWindow: 'No Observation with its code lies in the window.',
  severalObservations: 'Several Observations are the latest, with different values.',
  noSingleValue: 'The Observation has no single value.',
  noUnit: 'The Observation has a number without a unit.',
  gradeNotKnown: 'The mapping does not know the value of this grade.',
  readingNoTime:
    'A reading of this scale has no time, so that it is not known which readings belong together.',
  notOfSet: 'It was not taken in the latest set of readings, within {hours} h and one Encounter.',

  noValue: 'It has no value.',
  givenTwice: 'It is given twice with different values.',
  severalAnswers: 'It has several answers.',
  noAssessment: 'No assessment with this scale lies in the window.',
  severalAssessments: 'Several assessments are the latest.',
  notInAssessment: 'The assessment does not hold it.',

  comparator: 'The quantity has a comparator, so its number is not the value.',
  unitOfPlain: 'The quantity has a unit where a plain number is expected.',
  noUcum: 'The quantity has no UCUM unit.',
  unitContradicts: 'The text of the unit contradicts its code.',
  notUcum: 'The unit of the quantity is not a UCUM code.',
  notConvertible: 'The unit of the quantity cannot be converted to {unit}.',
  noWeight: 'The answer is a code without a weight (itemWeight or ordinalValue).',
  noCode: 'The value has no code.',

  noProcedure: 'There is no such Procedure, and the history is not stated to be complete (history=complete).',
  noCondition: 'There is no such Condition, and the history is not stated to be complete (history=complete).',
  ofWhichStay: 'A Condition does not say to which stay it belongs: {place}.',
  statusNoCode: 'A Condition has a status without a code, so it may or may not count: {place}.',
  maybeKnown: 'A Condition does not say whether it was known at that time: {place}.',
  presentAndEnded: 'A Condition is said to be present, and to have ended: {place}.',
  maybeEnded: 'A Condition does not say whether it had ended at that time: {place}.',
  overNow: 'A Condition is over now and does not say whether it was at that time: {place}.',
  overThatStays: 'A Condition is said to be over that does not pass: {place}.',
  overSince: 'A Condition that is over does not say whether it began in the last {years} years: {place}.',
  uncertain: 'A code of a Condition says that the diagnosis is excluded, suspected or past: {place}.',
  icdMayBe:
    'A Condition has the ICD-10 code {codes}, so it may be the one: {place}. Send codes with all of their characters, and those that belong beside them.',
  notACode: '(not a code)',
  noIcd:
    'A Condition has no ICD-10 code, so it may be the one: {place}. Send one, or give a ConceptMap or ValueSet for its code system as a file of the clinical folder (fhir/maps).',
  mapsOpen:
    'A Condition has no ICD-10 code, and the maps leave open what its code is, so it may be the one: {place}.',
  mapsOpenCode:
    'A Condition has no ICD-10 code, and the maps leave open what its code {code} is, so it may be the one: {place}.',

  twiceDifferent:
    'The same resource stands in the body twice with different content, so the patient is not scored.',
  patientUnreadable: 'The Patient cannot be read. {why}',
  notInUse: 'The record of the patient is not in use.',
  sameIdentifier:
    'The Patient has the same identifier as the one in {place}, so they may be one person. Send one record.',
  merged: 'The record of the patient was merged into another one. Send that one.',
  hadDied: 'The patient had died by the moment of the assessment, so there is no risk.',
  mayHaveDied: 'The patient may have died by the moment of the assessment, so there is no risk.',

  implicitRules:
    'It has implicitRules, which this service does not know, so that it may mean something else.',
  deleted: 'The body holds it, and deletes it.',
  partsLeftOut: 'Its labels (meta) say that parts of it were left out.',
  modifier: 'It has a modifierExtension that this service does not know, so that it may mean something else.',
} as const
