/** What an answer rests on, in words: the sampling interval, the range over what is missing, and the scales. */
import { subjectOf } from '../../i18n/field-names.ts'
import { MOST_DECIMALS, type Words } from '../../i18n/words.ts'
import type { Explained, Explanation, ScaleState } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'

/** "95% sampling interval: 21.3% to 23.4%", and that it is not about the patient. */
export function samplingTexts(words: Words, explanation: Explanation | null): readonly string[] {
  const sampling = explanation?.sampling ?? null
  if (sampling === null) return []
  const { low, high, level } = sampling
  const [from, to] = differing(words, [low, high])
  return [words.t('result.sampling', { low: from, high: to, level: words.percent(level, 0) })]
}

/** What a risk of this model is compared with. */
export function thresholdOf({ deployment, threshold }: Model): number | undefined {
  return deployment.threshold ?? threshold?.risk
}

/** Two ends of an interval, with a decimal more where that tells them apart. */
function differing(
  words: Words,
  [low = 0, high = 0]: readonly number[],
  threshold?: number,
): readonly [string, string] {
  const texts = [1, MOST_DECIMALS].map((decimals): [string, string] => {
    return [words.risk(low, threshold, decimals), words.risk(high, threshold, decimals)]
  })
  return texts.find(([from, to]) => from !== to) ?? texts[0] ?? ['', '']
}

const MOST_NAMES = 3

/** The risk over all values of what is missing, and over the usual ones; nothing where nothing is missing. */
export function rangeTexts(
  words: Words,
  catalogue: FieldCatalogue,
  { range, risk }: Pick<Explained, 'range' | 'risk'>,
  threshold: number | undefined,
): readonly string[] {
  if (range === null) return []
  const { t } = words
  const { inputs, possible, usual, decided } = range
  const [from, to] = differing(words, possible, threshold)
  const isSame = from === to
  const names = inputs.map((name) => subjectOf(words.language, catalogue, name).text)
  const listed = names.length > MOST_NAMES ? words.count('values', names.length) : names.join(', ')
  const what = t(risk === null ? 'range.missing' : 'range.assumed', { what: listed })
  const answer = decided === null ? '' : t(decided === 'Yes' ? 'result.yes' : 'result.no')
  const ofTwo = decided === null ? 'range.open' : 'range.decided'
  const first = t(isSame ? 'range.same' : ofTwo, { from, to, what, answer })
  if (usual === null || isSame) return [first]
  const [usualFrom, usualTo] = differing(words, usual, threshold)
  const ends = usualFrom === usualTo ? usualFrom : t('range', { from: usualFrom, to: usualTo })
  return [first, t('range.usual', { ends })]
}

/** "Barthel Index: 85, moderate dependence (Shah 1989)". */
export function scaleText(words: Words, { scales }: FieldCatalogue, state: ScaleState): string {
  const { t, serviceText } = words
  const { total, complete, given, needed, band, scheme, verified } = state
  const title = serviceText(scales.find(({ id }) => id === state.scale)?.title ?? state.scale)
  const notes = [serviceText(scheme ?? ''), ...(verified ? [] : [t('scale.bandUnverified')])].join(', ')
  const said = [
    ...(total === null ? [] : [words.number(total)]),
    ...(complete ? [] : [t('scale.incomplete', { given, needed })]),
    ...(band === null ? [] : [`${serviceText(band)} (${notes})`]),
  ]
  return `${title}: ${said.join(', ')}`
}
