/** In which share of right records of older inpatients a code, or yes, stands. Wide on purpose; a special ward is confirmed once. */
export interface UsualShare {
  readonly field: string
  /** The code, or true. */
  readonly value: string | true
  readonly least: number
  readonly most: number
}

export const USUAL_SHARES: readonly UsualShare[] = [
  { field: 'sex', value: 'F', least: 0.25, most: 0.8 },
  { field: 'sex', value: 'M', least: 0.2, most: 0.75 },
  { field: 'sex', value: 'X', least: 0, most: 0.15 },
  { field: 'acuteAdmission', value: true, least: 0.08, most: 1 },
  { field: 'oncologyService', value: true, least: 0, most: 0.5 },
  { field: 'procedureDuringStay', value: true, least: 0.02, most: 0.98 },
  { field: 'congestiveHeartFailure', value: true, least: 0.02, most: 0.6 },
  { field: 'activeNeoplasia', value: true, least: 0, most: 0.5 },
  { field: 'dementia', value: true, least: 0.01, most: 0.55 },
  { field: 'nyhaOrMrc3to4', value: true, least: 0, most: 0.6 },
  { field: 'deliriumLastAdmission', value: true, least: 0, most: 0.5 },
  { field: 'unmarried', value: true, least: 0.15, most: 0.88 },
  { field: 'cancer', value: 'none', least: 0.4, most: 1 },
  { field: 'cancer', value: 'solitary', least: 0, most: 0.5 },
  { field: 'cancer', value: 'metastatic', least: 0, most: 0.4 },
  { field: 'caregiver', value: 'none', least: 0, most: 0.65 },
  { field: 'caregiver', value: 'spouse', least: 0.02, most: 0.8 },
  { field: 'caregiver', value: 'other', least: 0.04, most: 0.9 },
]
