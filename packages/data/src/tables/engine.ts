/** DuckDB inside this process, an optional package. It is loaded when a table is read or written, never by the service. */
import type {
  DuckDBConnection,
  DuckDBInstance,
  DuckDBScalarMainFunction,
  DuckDBVector,
} from '@duckdb/node-api'
import { BadFile } from './bad-file.ts'
import { isAddress } from './open-input.ts'
import { type TempFolder, makeTempFolder } from '@patient-risk/runtime'

const MEMORY = '700MB'
/** As in package.json: the version that was tested. */
const DUCKDB_VERSION = '1.5.5-r.5'

/** Advice for a missing extension. The engine never downloads one. */
const MISSING: Readonly<Record<string, string>> = {
  httpfs:
    "needs DuckDB's extension httpfs, which is not installed here; install it with DuckDB's own command line, or copy the file here first",
}

/** A failure of the engine, by its kind. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly kind: string

  constructor(kind: string) {
    super(`the table engine failed (${kind})`)
    this.kind = kind
  }
}

/** DuckDB cannot be loaded, most often because it was not installed: it is an optional peer dependency of 70 MB. */
export class EngineMissing extends Error {
  override readonly name = 'EngineMissing'

  constructor(code = 'unknown reason') {
    super(
      `Tables (CSV, Parquet, XLSX) need DuckDB, which is not installed here (${code}): run npm install @duckdb/node-api@${DUCKDB_VERSION}`,
    )
  }
}

/** The only import of DuckDB. Throws an EngineMissing. */
export async function loadDuckDb(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api')
  } catch (error) {
    throw new EngineMissing((error as NodeJS.ErrnoException).code)
  }
}

/** Texts, and whole numbers for columns of type BIGINT; null for no value. */
export interface RowAppender {
  add(values: readonly (string | number | null)[]): void
  close(): void
}

export class TableEngine {
  /** For copies of the data, until the engine is closed. */
  readonly folder: string
  private readonly temporary: TempFolder
  private readonly instance: DuckDBInstance
  private readonly connection: DuckDBConnection

  private constructor(temporary: TempFolder, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.folder = temporary.path
    this.temporary = temporary
    this.instance = instance
    this.connection = connection
  }

  static async open(threads?: number): Promise<TableEngine> {
    const { DuckDBInstance } = await loadDuckDb()
    const folder = makeTempFolder()
    const instance = await DuckDBInstance.create(':memory:', {
      // The engine must not fetch anything by itself: an extension is used only where it was installed on purpose.
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'true',
      allow_community_extensions: 'false',
      temp_directory: folder.path,
      memory_limit: MEMORY,
      // It would turn a long IN list into a join, and a join does not keep the order of the rows.
      disabled_optimizers: 'in_clause',
      ...(threads === undefined ? {} : { threads: String(threads) }),
    })
    return new TableEngine(folder, instance, await instance.connect())
  }

  /** Makes a function of this process known to the engine. It is called on the main thread, for some thousand rows at a time. */
  async addFunction<T extends number | string>(
    name: string,
    typeName: T extends number ? 'DOUBLE' : 'VARCHAR',
    of: (value: T) => T,
  ): Promise<void> {
    const { DuckDBScalarFunction, [typeName]: type } = await loadDuckDb()
    const mainFunction: DuckDBScalarMainFunction = (_info, input, output) => {
      const values = input.getColumnVector(0)
      for (let row = 0; row < input.rowCount; row++) {
        const value = values.getItem(row) as T | null
        output.setItem(row, value === null ? null : of(value))
      }
      output.flush()
    }
    const types = { returnType: type, parameterTypes: [type] }
    this.connection.registerScalarFunction(DuckDBScalarFunction.create({ name, mainFunction, ...types }))
  }

  /** A function of several numbers. It is not called where one of them is NULL. */
  async addNumberFunction(name: string, count: number, of: (values: Float64Array) => number): Promise<void> {
    const { DOUBLE, DuckDBScalarFunction } = await loadDuckDb()
    const values = new Float64Array(count)
    const mainFunction: DuckDBScalarMainFunction = (_info, input, output) => {
      const columns = Array.from({ length: count }, (_each, place) => input.getColumnVector(place))
      for (let row = 0; row < input.rowCount; row++) {
        columns.forEach((column, place) => (values[place] = column.getItem(row) as number))
        output.setItem(row, of(values))
      }
      output.flush()
    }
    const types = { returnType: DOUBLE, parameterTypes: new Array<typeof DOUBLE>(count).fill(DOUBLE) }
    this.connection.registerScalarFunction(DuckDBScalarFunction.create({ name, mainFunction, ...types }))
  }

  async run(sql: string): Promise<void> {
    await guarded(this.connection.run(sql))
  }

  /** Adds rows to a table, a value for each column. They are there when the appender is closed. */
  async appender(table: string): Promise<RowAppender> {
    const appender = await guarded(this.connection.createAppender(table))
    return {
      add(values) {
        for (const value of values) {
          if (value === null) appender.appendNull()
          else if (typeof value === 'string') appender.appendVarchar(value)
          else appender.appendBigInt(BigInt(value))
        }
        appender.endRow()
      },
      close: () => appender.closeSync(),
    }
  }

  /** All rows of a small result. */
  async rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await guarded(this.connection.runAndReadAll(sql))).getRowObjectsJS()
  }

  /** The number of rows of what comes after FROM. */
  async count(from: string): Promise<number> {
    const [row] = await this.rows(`SELECT count(*) AS n FROM ${from}`)
    return Number(row?.['n'])
  }

  /** The columns of the result, some thousand rows at a time, in order. */
  async *chunks(sql: string): AsyncGenerator<readonly DuckDBVector[]> {
    const result = await guarded(this.connection.stream(sql))
    for (;;) {
      const chunk = await guarded(result.fetchChunk())
      if (chunk === null || chunk.rowCount === 0) return
      yield Array.from({ length: chunk.columnCount }, (_each, place) => chunk.getColumnVector(place))
    }
  }

  get share(): number {
    return this.connection.progress.percentage / 100
  }

  [Symbol.dispose](): void {
    this.connection.closeSync()
    this.instance.closeSync()
    this.temporary.remove()
  }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A file that the engine reads, by this very name: signs of a pattern in it stand for themselves. */
export function fileLiteral(path: string): string {
  if (isAddress(path) || !/[*?[]/.test(path)) return literal(path)
  // The engine takes it for the end of a folder's name, and could find another file.
  if (path.includes('\\')) throw new BadFile('has a backslash and a sign of a pattern in its path; rename it')
  return literal(path.replaceAll(/[*?[]/g, '[$&]'))
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Errors of the engine may quote a cell, so they are not passed on. */
function guarded<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const { message } = error as Error
    const kind = /^([A-Z][A-Za-z ]*?)(?: Error)?:/.exec(message)?.[1] ?? 'unknown'
    const extension = /required extension '(\w+)'/.exec(message)?.[1]
    if (extension === undefined) throw new EngineError(kind)
    throw new BadFile(MISSING[extension] ?? `needs DuckDB's extension ${extension}`)
  })
}
