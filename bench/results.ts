/** The results of a run: sections of tables, kept in results.json. results.md and the figures in the documents are made from it. */

export interface Results {
  readonly run: RunFacts
  readonly sections: readonly Section[]
}

export interface RunFacts {
  /** YYYY-MM-DD. */
  readonly date: string
  /** The commit that was measured, in its short form. */
  readonly commit: string
  readonly machine: string
  readonly rounds: number
  readonly seconds: number
  readonly minutes: number
  /** What else the machine did before and during the run. */
  readonly load: readonly string[]
  /** Why the figures must not be used. A recorded run has none. */
  readonly faults: readonly string[]
}

export interface Section {
  readonly title: string
  /** Paragraphs before its tables. */
  readonly notes: readonly string[]
  readonly tables: readonly Table[]
  /** Servers that could not be measured, and why. */
  readonly missing?: readonly string[]
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Figures of fewer rounds are not recorded. */
export const FEWEST_ROUNDS = 3

export function printResults({ run, sections }: Results): string {
  return [heading(run), ...sections.map(printSection)].join('\n')
}

function heading({ date, commit, machine, rounds, seconds, minutes, load, faults }: RunFacts): string {
  const warning = faults.length === 0 ? '' : `**Do not use these figures: ${faults.join('\n')}**\n`
  return `# Results of the benchmark

Written by \`npm run bench\` on ${date} from commit ${commit}, in ${minutes} minutes.
${machine}.
${load.join('\n')}
${warning}
Servers and the client are processes on the same machine, over loopback. docs/speed.md says what each server does.
Each figure is the median of ${rounds} rounds of ${seconds} s, the servers in turns, or of as many runs as its section says.
A ratio is the median of the ratios of the rounds. The range is that of the rounds.
`
}

export function printSection({ title, notes, tables, missing = [] }: Section): string {
  const paragraphs = [
    ...notes,
    ...missing.map((reason) => `Not measured: ${reason}`),
    ...tables.map((each) => printTable(each)),
  ]
  return `## ${title}\n\n${paragraphs.join('\n\n')}\n`
}

export function printTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The rows of the only or first table of a section, by the start of its title. */
export function rowsOf({ sections }: Results, title: string): readonly (readonly string[])[] {
  const section = sections.find((each) => each.title.startsWith(title))
  if (section === undefined) throw new Error(`the results have no section "${title}"`)
  return section.tables[0]?.rows ?? []
}
