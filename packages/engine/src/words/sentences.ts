/** Every sentence of the engine for people, by what it is about. What a problem says to programs is in `judge/problem.ts`. */
export const SENTENCES = {
  below: '{field} is below {end}, the lowest value in the data of {model}.',
  above: '{field} is above {end}, the highest value in the data of {model}.',
  assumed: '{field} is missing or not usable; {model} takes {value} in its place.',
  absent: '{field} is missing or not usable; {model} takes its absence into account.',
  incompleteOne:
    '{field} is the sum of the one item that is given, and others are absent: the form may be incomplete.',
  incomplete:
    '{field} is the sum of the {count} items that are given, and others are absent: the form may be incomplete.',
  old: 'The assessment {scale} lies more than {days} days back.',
  contradiction: '{one} and {other} cannot both be true: they say different things about {what}.',
  unit: '{field} is unusual for a value in {received} and usual for one in {likely}: check its unit.',
  unitOfTotal:
    '{field} is unusual for a value out {received} and usual for one out {likely}: check its unit.',
  unitToTotal: '{field} is unusual for a value in {received} and usual for one out {likely}: check its unit.',
  unitFromTotal:
    '{field} is unusual for a value out {received} and usual for one in {likely}: check its unit.',
  rangeNotComputed:
    'The range of the risk was not computed: the values that are missing allow too many combinations.',
  contributionsNotComputed:
    'The contributions were not computed: the inputs of the model allow too many combinations.',
} as const

/** A problem in words, beside its `ExtendError`: the field, and what is wrong. */
export const PROBLEM_SENTENCES = {
  missing: '{field}: the value is missing.',
  wrong: '{field}: {reason}.',
  sum: '{field}: the sum of the given items, {sum}, is not the given total.',
} as const

/** What is doubtful about a field of a sender's feed, after the field. */
export const DOUBT_SENTENCES = {
  ofSender: 'Of this sender, {field}: {doubt}.',
  declaredUnit: 'the declared unit',
  unit: 'its values do not look like values in {received}. Check the unit, and whether it is another quantity',
  unitLikely:
    'its values do not look like values in {received}; they may be in {likely}. Check the unit, and whether it is another quantity',
  quantity: 'its values look like those of another quantity. Check which column or result is sent here',
  period:
    'its values look like those of another period, or count something else too. Check what is counted, and since when',
  otherCodes: 'its codes are refused, or go with the wrong patients. State what each code means in `codes`',
  codes:
    'this sender also writes codes of another convention, where {codes} may mean something else. State what each code means in `codes`',
  share: 'a value comes in another share of the records than is usual. Check what it stands for',
  missingCode:
    'many values are a number or a text that systems write where a value is missing. Send no value there',
  constant: 'it is the same in almost every record. Check whether it is a default of the sending system',
  copied:
    'neighbouring records of different patients have the same value too often. Check whether one assessment was copied to others',
  repeated: 'records come again with another idx. Check how the list was made',
  digits: 'its values are rounded more than is usual. Check whether they are estimated or cut off',
  limit: 'its values end at a limit. Check whether the sending system caps them',
  misaligned:
    'it does not go with the other fields of its record. Check whether rows or columns were shifted, and whether a default stands for missing values',
  format: 'its values are written in another form than they are read. Check dates, decimal signs and texts',
  missing: 'it is missing in almost every record, or suddenly so. Check whether it is still sent',
  selective:
    'its problems strike one kind of patient, so that the others alone are scored. Check what is refused',
} as const
