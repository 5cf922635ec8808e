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
