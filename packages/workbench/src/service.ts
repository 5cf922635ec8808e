/**
 * Who answers the calls of the page: the service over HTTP, or the engine in the page itself. The entry point of the page says so
 * once, before anything is drawn. Every call goes through here, so the views do not know which of the two it is.
 */
export interface Service {
  /** Where the page answers itself. What needs a server is not offered there: keys, signing in, locks, links and operations. */
  readonly offline?: OfflineFacts
  /** As `fetch`: a path of the service, and its answer. */
  readonly fetch: (path: string, request?: RequestInit) => Promise<Response>
}

export interface OfflineFacts {
  /** The day on which the page was made, as DD-MM-YYYY. */
  readonly made: string
  /** Whether it is the example that comes with the page, on invented patients. */
  readonly isExample?: true
}

let connected: Service | undefined

export function connectTo(service: Service): void {
  connected = service
}

export function service(): Service {
  if (connected === undefined) throw new Error('the page was started without anyone who answers')
  return connected
}

/** Whether the page shows its example, of which nothing would be lost. */
export function isExample(): boolean {
  return connected?.offline?.isExample === true
}

/** What is known of a page that answers itself; undefined where a service answers. */
export function offlineFacts(): OfflineFacts | undefined {
  return connected?.offline
}
