/** The service that has sent this page, over HTTP. */
import type { Service } from './service.ts'

export const HTTP_SERVICE: Service = { fetch: (path, request) => fetch(path, request) }
