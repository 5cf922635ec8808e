/** Keeps the place of a keyboard user: a button that an action removes or disables would leave the focus nowhere. */

const ENABLED = 'button:not(:disabled), summary, input:not(:disabled)'

/** The key that ended an input must not press the button that comes into focus; and a view may set the focus itself. */
const WAIT_MS = 150

/** Watches the whole page from now on. */
export function keepFocus(): void {
  let last: HTMLElement | undefined
  let group: HTMLElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const beside = (element: HTMLElement): Element | null | undefined => {
    const { nextElementSibling: next, previousElementSibling: previous } = element
    if (element.isConnected) return [next, previous].find((each) => each?.matches(ENABLED))
    return group?.isConnected === true ? group.querySelector(ENABLED) : null
  }
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement ? target : undefined
    group = last?.parentElement ?? null
  })
  const check = (): void => {
    if (last === undefined || (last.isConnected && !last.matches(':disabled'))) return
    if (document.activeElement !== document.body) return
    // What stands beside it, or else the heading: the view may be another one now.
    const place = beside(last) ?? document.querySelector('main h1')
    last = undefined
    if (place instanceof HTMLElement) place.focus({ preventScroll: true })
  }
  const watched = { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] }
  const checkSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(check, WAIT_MS)
  }
  new MutationObserver(checkSoon).observe(document.body, watched)
}
