/** The way back from the example to the page of the service. */
import { connectTo, type Service } from '../service.ts'
import { signOut } from '../session.ts'

let page: Service | undefined

/** Notes who answered the page before the example. */
export function noteExample(before: Service): void {
  page = before
}

/** Clears the example from the screen, and asks for a key again. */
export function leaveExample(): void {
  if (page === undefined) return
  connectTo(page)
  // Whoever signs in then begins with the first view, and not with that of the example.
  location.hash = '#/patient'
  signOut()
}
