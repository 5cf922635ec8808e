/** The page that the service serves. */
import { HTTP_SERVICE } from './http-service.ts'
import { start } from './start.tsx'

await start(HTTP_SERVICE)
