/**
 * Moves the focus to the heading of what has just come up, so that a screen reader announces it and the keyboard goes on from there. A view
 * that is still being loaded has no heading yet; when it comes, a reader who has moved on meanwhile is left where they are.
 */
export function focusHeading(): () => void {
  const before = document.activeElement
  const focus = (): boolean => {
    // A step within a view has a heading of its own.
    const heading =
      document.querySelector<HTMLElement>('main .step-title') ??
      document.querySelector<HTMLElement>('main h1')
    heading?.focus({ preventScroll: true })
    return heading !== null
  }
  if (focus()) return () => undefined
  const watch = new MutationObserver(() => {
    const { activeElement } = document
    const isHere = activeElement === before || activeElement === document.body
    if (!isHere || focus()) watch.disconnect()
  })
  watch.observe(document.body, { childList: true, subtree: true })
  return () => watch.disconnect()
}
