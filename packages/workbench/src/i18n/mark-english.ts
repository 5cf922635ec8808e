/** Texts that a language lacks are shown in English, and their elements say so, for those who listen to the page. */
import { options, type VNode } from 'preact'

const MOST_NOTED = 5_000
const noted = new Set<string>()

/** Notes a text that is shown in English in a page of another language. */
export function noteEnglish(text: string): string {
  if (noted.size >= MOST_NOTED) noted.clear()
  noted.add(text)
  return text
}

/** A text may hold what was filled in, so nothing is kept after a session. */
export function forgetEnglish(): void {
  noted.clear()
}

const former = options.vnode?.bind(options)

options.vnode = (vnode: VNode<{ lang?: string | undefined }>) => {
  const { type, props } = vnode
  if (noted.size > 0 && typeof type === 'string' && props.lang === undefined && isEnglish(props.children))
    props.lang = 'en'
  former?.(vnode)
}

/** Whether all text of an element is of this kind; what its other elements hold is theirs. */
function isEnglish(children: unknown): boolean {
  const texts = [children].flat(3).filter((each) => typeof each === 'string' && each.trim() !== '')
  return texts.length > 0 && texts.every((text) => noted.has(text as string))
}
