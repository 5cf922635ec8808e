/** The clinical folder that comes with the package. */
import { fileURLToPath } from 'node:url'

export const CLINICAL_ROOT = fileURLToPath(new URL('../../../clinical', import.meta.url))
