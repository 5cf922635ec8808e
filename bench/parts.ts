/** The parts of the benchmark. Each gives sections of the results; each can be run alone by its name. */
import type { Part } from './bench.ts'
import { besideBatchesPart } from './parts/beside-batches.ts'
import { faultyPart } from './parts/faulty.ts'
import { fhirPart } from './parts/fhir.ts'
import { filesPart } from './parts/files.ts'
import { memoryPart } from './parts/memory.ts'
import { populationPart } from './parts/population.ts'
import { processesPart } from './parts/processes.ts'
import { serversPart } from './parts/servers.ts'
import { treesPart } from './parts/trees.ts'

export const PARTS: Readonly<Record<string, Part>> = {
  servers: serversPart,
  faulty: faultyPart,
  memory: memoryPart,
  processes: processesPart,
  'beside-batches': besideBatchesPart,
  files: filesPart,
  fhir: fhirPart,
  population: populationPart,
  trees: treesPart,
}
