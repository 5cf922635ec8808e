/** What a file of `languages/` may say: texts in one language, by their English. */
import Type from 'typebox'
import { closed, maybe, recordOf, text } from './shape.ts'

const words = Type.String({ minLength: 1 })

export const LanguageFile = closed({
  $schema: maybe(Type.String()),
  language: Type.String({
    pattern: '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$',
    description: 'The tag of the language, such as pt or pt-BR; the name of the file.',
  }),
  name: Type.String({ minLength: 1, description: 'What the language calls itself.' }),
  locale: Type.String({ minLength: 2, description: 'The form of numbers and dates, such as pt-PT.' }),
  review: text,
  texts: maybe(
    recordOf(words, 'Each text by its English. One whose English has changed since is no longer used.'),
  ),
  places: maybe(
    recordOf(
      closed({ en: words, text: words }),
      'Texts by the place where their English needs other words than elsewhere.',
    ),
  ),
  names: maybe(recordOf(words, 'Of English only: what a field is called that has no label of its own.')),
  roles: maybe(recordOf(words, 'Of English only: what the fields that every scale has are called.')),
  values: maybe(recordOf(words, 'Of English only: words on values that a definition has as figures only.')),
})
