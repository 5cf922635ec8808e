/** What an answer rests on, as cells of a download. They hold the words of the interface, like the problems beside them. */
import type { Explained } from '../../shapes/answers.ts'

export const RESTS_ON_COLUMNS = ['notices', 'range', 'sampling', 'scales', 'contributions'] as const

export function restsOnTexts({ notices, range, scales, explanation }: Explained): readonly string[] {
  const { sampling = null, contributions = null } = explanation ?? {}
  return [
    notices.map(({ code, text }) => `${code}: ${text}`).join('; '),
    range === null
      ? ''
      : [
          `${ends(range.possible)} over ${range.inputs.join(', ')}`,
          ...(range.usual === null ? [] : [`usual ${ends(range.usual)}`]),
          ...(range.decided === null ? [] : [`always ${range.decided}`]),
        ].join('; '),
    sampling === null ? '' : ends([sampling.low, sampling.high]),
    scales
      .map(({ scale, total, complete, given, needed, band, scheme, verified }) =>
        [
          `${scale} ${total ?? 'without a total'}`,
          ...(complete ? [] : [`incomplete (${given} of ${needed})`]),
          ...(band === null ? [] : [`${band} (${scheme ?? ''}${verified ? '' : ', not confirmed'})`]),
        ].join(', '),
      )
      .join('; '),
    (contributions ?? []).map(({ fields, points }) => `${fields.join(' × ')} ${points}`).join('; '),
  ]
}

function ends([low, high]: readonly number[]): string {
  return `${low} to ${high}`
}
