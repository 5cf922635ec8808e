/** Labels of fields as people read them: without the title of their scale, and with a capital. */

/** `Barthel Index: feeding` of the Barthel index is `Feeding`. */
export function labelIn(meaning: string, title: string): string {
  const text = meaning.startsWith(`${title}: `) ? meaning.slice(title.length + 2) : meaning
  return text.charAt(0).toUpperCase() + text.slice(1)
}
