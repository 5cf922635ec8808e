/**
 * What the page keeps in the browser, in the tab or on the device. Nothing else of the page touches the browser's storage: each use of it
 * may throw. Where site data are blocked, even to ask for the storage throws; where it is full, writing does. Neither may stop a sign-out,
 * so nothing here throws.
 */

/** A text under a name. */
export interface KeptText {
  /** Undefined where nothing is kept, or the storage cannot be read. */
  read(): string | undefined
  /** Whether the text is kept now. If not, what was there before is removed: an old text must not pass for the new one. */
  write(text: string): boolean
  remove(): void
}

/** The tab keeps a text until it is closed, the device until it is removed. */
export function keptText(where: 'tab' | 'device', name: string): KeptText {
  // Asked for each time, inside of `attempt`: to ask may throw.
  const storage = (): Storage => (where === 'tab' ? sessionStorage : localStorage)
  const remove = (): void => attempt(() => storage().removeItem(name))
  return {
    read: () => attempt(() => storage().getItem(name)) ?? undefined,
    write(text) {
      const isKept = attempt(() => {
        storage().setItem(name, text)
        return true
      })
      if (isKept !== true) remove()
      return isKept === true
    },
    remove,
  }
}

function attempt<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
