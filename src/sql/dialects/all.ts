/** The dialects that are shipped: each was run against the engine's answers. */
import type { Dialect } from '../dialect.ts'
import { duckdb } from './duckdb.ts'
import { postgres } from './postgres.ts'
import { spark } from './spark.ts'

export const DIALECTS: readonly Dialect[] = [duckdb, postgres, spark]
