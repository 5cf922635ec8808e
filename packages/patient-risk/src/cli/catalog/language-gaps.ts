/** What languages lack, for `patient-risk check`. It is no fault: what is missing is shown in English. */
import { basename, dirname, relative, resolve } from 'node:path'
import { type Catalog, missingTexts } from '@patient-risk/catalog'
import { ENGLISH, missingPageWords } from '@patient-risk/catalog/languages'

const PAGE_ENDING = '.page.json'

/** A line for each of these languages that is not complete. */
export function gapLines(catalog: Catalog, tags: Iterable<string>): readonly string[] {
  return [...new Set(tags)].flatMap((tag) => {
    const language = catalog.languages.others.get(tag)
    if (tag === ENGLISH || language === undefined) return []
    const texts = missingTexts(catalog, tag).length
    const words = missingPageWords(catalog.languages, tag).length
    const page =
      language.page === undefined
        ? `there is no ${tag}${PAGE_ENDING}, so that the page does not offer it`
        : `words of the page that are missing: ${words}`
    if (texts === 0 && words === 0) return []
    return [`Language ${tag}: clinical texts that are missing and given in English: ${texts}; ${page}.`]
  })
}

/** The tags of the languages that files of a clinical folder are for. */
export function tagsIn(files: readonly { readonly file: string }[]): readonly string[] {
  return files.map(({ file }) => tagOf(file))
}

/** Each English text that a file of a language lacks, one to a line. */
export function missingIn(catalog: Catalog, file: string): readonly string[] {
  const tag = tagOf(file)
  if (tag === ENGLISH) return []
  const missing = file.endsWith(PAGE_ENDING)
    ? missingPageWords(catalog.languages, tag)
    : missingTexts(catalog, tag)
  const head = `Missing in ${tag}, and given in English: ${missing.length}${missing.length > 0 ? ':' : '.'}`
  return [head, ...missing.map((english) => `  ${JSON.stringify(english)}`)]
}

/** The clinical folder of a file of a language; undefined for any other path. */
export function folderOfLanguage(path: string): string | undefined {
  const folder = dirname(resolve(path))
  if (basename(folder) !== 'languages' || !path.endsWith('.json')) return undefined
  return relative('', dirname(folder)) || '.'
}

function tagOf(file: string): string {
  return basename(file).replace(/(\.page)?\.json$/, '')
}
