/**
 * The example: the engine in the browser, with the example model that is packed with the page and never a deployment of this service.
 * It is built as a file of its own, which is loaded when somebody asks for it.
 */
import { parseJson } from 'patient-risk-engine/read'
import { engineService } from '../offline/engine-service.ts'
import type { OfflineData } from '../offline/offline-data.ts'
import type { Service } from '../service.ts'

/** What the page loads the function of this file under, and what it must give it. */
export type MakeExample = typeof exampleService

/** `page` gives what belongs to the page itself: the words of another language. No call with a value goes there. */
export function exampleService(data: string, page: Service): Service {
  const engine = engineService(parseJson(data) as OfflineData)
  return {
    offline: { made: '', isExample: true },
    fetch: (path, request) =>
      path.startsWith('/workbench/') ? page.fetch(path, request) : engine.fetch(path, request),
  }
}
