/** What an alarm has found, in words. A kind that this page does not know yet is named as it is: it must not break the view. */
import { fillIn, lookUp } from '../i18n/translate.ts'
import type { Words } from '../i18n/words.ts'

export function alarmText(
  { language }: Pick<Words, 'language'>,
  {
    kind,
    basis,
    likely,
    reference,
  }: {
    readonly kind: string
    readonly basis: string
    readonly likely: string
    readonly reference: string
  },
): string {
  // Of a feed this is the kind of the doubt.
  if (kind === 'feed') return lookUp(language, `listDoubt.${reference}`) ?? reference
  return fillIn(lookUp(language, `watch.${kind}`) ?? `${kind}: {basis} {likely}`, { basis, likely })
}
