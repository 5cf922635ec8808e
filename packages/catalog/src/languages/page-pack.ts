/** The languages of the page: those that a deployment lists and whose words of the page are there. */
import { FHIR_REASONS } from './fhir-reasons.ts'
import type { Languages, Texts } from './language.ts'

/** A language as the page takes it. `words` are the page's own. */
export interface PagePack {
  readonly language: string
  readonly name: string
  readonly locale: string
  readonly words: Texts
  readonly clinical: Texts
}

/** Without English, whose words are in the page itself; in the order in which deployments list them. */
export function pagePacks(
  { languages: { others } }: { readonly languages: Languages },
  deployments: readonly { readonly languages: readonly string[] }[],
): readonly PagePack[] {
  const listed = new Set(deployments.flatMap(({ languages }) => languages))
  return [...listed].flatMap((tag) => {
    const found = others.get(tag)
    if (found?.page === undefined) return []
    const { language, name, locale, clinical, page } = found
    return [{ language, name, locale, words: page, clinical: withoutFhir(clinical) }]
  })
}

const OF_FHIR: ReadonlySet<string> = new Set(Object.values(FHIR_REASONS))

/** The page never reads FHIR, and its first load in another language has its texts. */
function withoutFhir({ texts, places }: Texts): Texts {
  return {
    texts: Object.fromEntries(Object.entries(texts).filter(([english]) => !OF_FHIR.has(english))),
    places,
  }
}
