/** The file of a fitted model: the specification's words, and the numbers of the fit. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { ProfileDefinition } from '../../definition/profile.ts'
import { SHARES, type TextFigures, fillIn, figureTexts } from './texts.ts'
import type { RoundedFit } from '../fit/rounded-fit.ts'
import type { Draft } from './draft.ts'

export function definitionOf(
  { specification, units }: Draft,
  fit: RoundedFit,
  figures: TextFigures,
  profile: ProfileDefinition,
): ModelDefinition {
  const { id, version, title, card, scales, inputs, threshold, source, licence } = specification
  let first = 0
  const terms = units.flatMap(({ columns, build }) => {
    const own = fit.coefficients.slice(first, first + columns.length)
    first += columns.length
    return build(own)
  })
  const texts = figureTexts(figures)
  const fill = (text: string): string => fillIn(text, texts)
  return {
    $schema: '../../schema/model.schema.json',
    id,
    version,
    title,
    card: {
      ...card,
      development: fill(card.development ?? DEVELOPMENT),
      discrimination: [
        {
          data: fill(SHARES.data),
          cStatistic: Number(texts['cStatistic']),
          brier: Number(texts['brier']),
          calibration: fill(figures.optimism === undefined ? SHARES.apparent : SHARES.corrected),
        },
        ...((card.discrimination ?? []) as ModelDefinition['card']['discrimination']),
      ],
      calibration: fill(card.calibration ?? CALIBRATION),
    },
    ...(scales === undefined ? {} : { scales }),
    inputs,
    terms,
    link: { kind: 'logistic', intercept: fit.intercept },
    ...(threshold === undefined
      ? {}
      : {
          threshold: {
            ...threshold,
            cost: fill(threshold.cost ?? (figures.atThreshold?.flagged === 0 ? NOBODY : COST)),
          },
        }),
    profile,
    source,
    licence,
  }
}

const DEVELOPMENT =
  'Logistic regression by {method} on {rows} {noun} of {patients} patients with {events} events ({eventShare}).'
const CALIBRATION =
  'In the development data the mean prediction equals the observed share by construction. Nothing is known yet about other data.'
const NOBODY = 'In development it flags nobody: no risk reaches the threshold.'
const COST =
  'In development it flags {flagged}, finds {sensitivity} of the events and spares {specificity} of the others; {positiveValue} of the flagged have the event.'
