/** Texts that are loaded when a view first needs them; the view is drawn again when they are there. */
import { useEffect, useState } from 'preact/hooks'
import type { Language } from './language.ts'

export function useTexts(
  load: (language: Language) => Promise<void>,
  language: Language,
  isNeeded = true,
): void {
  const [, setLoaded] = useState<Language | undefined>(undefined)
  useEffect(() => {
    if (!isNeeded) return
    load(language)
      .then(() => setLoaded(language))
      // Without them the view shows what it has.
      .catch(() => undefined)
  }, [language, isNeeded])
}
