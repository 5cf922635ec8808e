/** Connections to the server of the tests, which outlive a run: making one takes longer than many statements. */
import pg from 'pg'

export class RealConnections {
  private readonly url: string
  private readonly free: pg.Client[] = []
  private readonly all: pg.Client[] = []

  constructor(url: string) {
    this.url = url
  }

  async take(): Promise<pg.Client> {
    const known = this.free.pop()
    if (known !== undefined) return known
    const types = new pg.TypeOverrides()
    types.setTypeParser(pg.types.builtins.INT8, Number)
    const client = new pg.Client({ connectionString: this.url, types })
    await client.connect()
    // It is free at once or not before something else happens in the simulation.
    await client.query('SET lock_timeout = 1')
    this.all.push(client)
    return client
  }

  give(client: pg.Client): void {
    this.free.push(client)
  }

  async emptyUnlogged(): Promise<void> {
    await this.empty("relpersistence = 'u'")
  }

  /** The tables as they were when the store was made. */
  async reset(): Promise<void> {
    await this.run('CREATE TABLE IF NOT EXISTS first_chain AS SELECT * FROM chain')
    await this.empty("relname NOT IN ('schema_version', 'first_chain')")
    await this.run('INSERT INTO chain SELECT * FROM first_chain')
  }

  async dropTables(): Promise<void> {
    await this.run('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  }

  async end(): Promise<void> {
    for (const client of this.all) await client.end()
  }

  private async empty(condition: string): Promise<void> {
    const sql = `SELECT string_agg(quote_ident(relname), ', ') AS names FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND ${condition}`
    const [found] = (await this.run(sql)) as readonly { readonly names: string | null }[]
    if (typeof found?.names === 'string') await this.run(`TRUNCATE ${found.names} RESTART IDENTITY`)
  }

  private async run(sql: string): Promise<readonly unknown[]> {
    const client = await this.take()
    const { rows } = await client.query<Readonly<Record<string, unknown>>>(sql)
    this.give(client)
    return rows
  }
}
