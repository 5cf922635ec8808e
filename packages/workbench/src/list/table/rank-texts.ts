/** The place of each text in their order, figures by size. Each text is compared once, so that fifty thousand sort at once. */

const FIGURE = /^([+-]?\d{1,15})(?:([.,])(\d{1,15}))?$/
const NUMBERED = /^(\D*)(\d{1,15})$/
const MOST_WORDS = 40

/** For every text its rank; equal ones share it. */
export function rankTexts(texts: readonly string[]): Uint32Array {
  const collator = new Intl.Collator(undefined, { numeric: true })
  const unique = [...new Set(texts)]
  const byValue = compareFigures(unique)
  const compare = byValue ?? collator.compare
  const numbered = byValue === undefined ? orderNumbered(unique, collator) : undefined
  const ordered = numbered ?? unique.sort(compare)
  const ranks = new Map<string, number>()
  let rank = 0
  ordered.forEach((text, index) => {
    const before = ordered[index - 1]
    if (before !== undefined && compare(before, text) !== 0) rank++
    ranks.set(text, rank)
  })
  return Uint32Array.from(texts, (text) => ranks.get(text) ?? 0)
}

/** Compares by value where all texts are figures and some have a sign or decimals: a collator puts 1.5 before 1.25. */
function compareFigures(texts: readonly string[]): ((a: string, b: string) => number) | undefined {
  const values = new Map<string, number>()
  const decimalSigns = new Set<string>()
  for (const text of texts) {
    const match = FIGURE.exec(text)
    if (match === null && text !== '') return undefined
    if (match?.[2] !== undefined) decimalSigns.add(match[2])
    // Empty texts come first, as a collator orders them.
    values.set(text, match === null ? -Number.MAX_VALUE : Number(`${match[1] ?? ''}.${match[3] ?? ''}`))
  }
  const isPlain = decimalSigns.size === 0 && !texts.some((text) => /^[+-]/.test(text))
  if (isPlain || decimalSigns.size > 1) return undefined
  return (a, b) => (values.get(a) ?? 0) - (values.get(b) ?? 0)
}

/** Texts that are a word and a number, as identifiers are: the few words are collated, the many numbers subtracted. */
function orderNumbered(texts: readonly string[], collator: Intl.Collator): string[] | undefined {
  const parts: { readonly text: string; readonly word: string; readonly number: number }[] = []
  for (const text of texts) {
    const match = NUMBERED.exec(text)
    if (match !== null) parts.push({ text, word: match[1] ?? '', number: Number(match[2]) })
    else if (text !== '') return undefined
  }
  const words = [...new Set(parts.map(({ word }) => word))].sort(collator.compare)
  if (!areApart(words)) return undefined
  const places = new Map(words.map((word, index) => [word, index]))
  const placeOf = (word: string): number => places.get(word) ?? 0
  parts.sort((a, b) => placeOf(a.word) - placeOf(b.word) || a.number - b.number)
  // Empty texts come first, as a collator orders them.
  return [...texts.filter((text) => text === ''), ...parts.map(({ text }) => text)]
}

/** Whether words differ before any number begins: H and h do not, nor does H from H-, and then the numbers count first. */
function areApart(words: readonly string[]): boolean {
  if (words.length > MOST_WORDS) return false
  const base = new Intl.Collator(undefined, { sensitivity: 'base' })
  return words.every((word, index) =>
    words.slice(index + 1).every((other) => {
      const length = Math.min(word.length, other.length)
      return base.compare(word.slice(0, length), other.slice(0, length)) !== 0
    }),
  )
}
