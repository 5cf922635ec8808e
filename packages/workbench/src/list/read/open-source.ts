/** Reads a file into the list and suggests what its columns mean. */
import { loadAllLanguages, lookUp, offered } from '../../i18n/translate.ts'
import { preferences } from '../../preferences.ts'
import { watchEnd } from '../../session.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { EMPTY_LIST, list } from '../list-state.ts'
import { rememberedMatches, suggestMatches } from '../match/match-columns.ts'
import { readSheet, type Source } from './read-sheet.ts'
import { SheetFault, type ReadOptions } from './sheet.ts'
import { suggestReading } from '../match/suggest-reading.ts'

/** Returns why the file could not be read; it is kept, so that it can be read in another way. */
export async function openSource(
  source: Source,
  { fields }: FieldCatalogue,
  options: ReadOptions = {},
): Promise<SheetFault | undefined> {
  const hasEnded = watchEnd()
  try {
    const sheet = await readSheet(source, options)
    // Columns are recognised by their names in every language.
    await loadAllLanguages()
    const matches = suggestMatches(sheet.columns, fields, aliasesOf, rememberedMatches())
    const readings = matches.map((match, column) => {
      return suggestReading(
        sheet,
        column,
        fields.find(({ name }) => name === match),
      )
    })
    // The list of one person is not shown to the next.
    if (!hasEnded()) list.set({ ...EMPTY_LIST, stage: 'matching', source, sheet, matches, readings })
    return undefined
  } catch (error) {
    if (!(error instanceof SheetFault)) throw error
    if (hasEnded()) return undefined
    error.options = options
    list.patch({ source })
    return error
  }
}

/** The other names of a field, or of the identifier: those of the message files, in every language, that of the page first. */
export function aliasesOf(name: string): readonly string[] {
  const { language } = preferences.get()
  return offered
    .get()
    .map((each) => each.language)
    .sort((a, b) => Number(b === language) - Number(a === language))
    .flatMap((each) => [
      lookUp(each, `field.${name}`) ?? '',
      ...(lookUp(each, `alias.${name}`) ?? '').split(','),
    ])
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
