/** Languages of the package for tests of the page: their texts as the service serves them. */
import { type PagePack, pagePacks } from '@patient-risk/catalog/languages'
import { testCatalog } from './serve.ts'

export function packOf(language: string): PagePack {
  const [pack] = pagePacks(testCatalog(), [{ languages: [language] }])
  if (pack === undefined) throw new Error(`clinical/languages has no ${language}`)
  return pack
}
