/** The code blocks of a Markdown document, with what their first line says of them. */
export interface Block {
  readonly language: string
  /** The line of the document where the block starts. */
  readonly line: number
  readonly text: string
  /** ```sh run: executed by a test. */
  readonly isRun: boolean
  /** ```json answer: what the block before it prints. */
  readonly isAnswer: boolean
  /** ```sh apart=reason: not executed here, and why. */
  readonly apart: string | undefined
  /** ```json file=path: the content of a file that the reader makes. */
  readonly file: string | undefined
  /** ```sh step=name: its name, for the test that runs it. */
  readonly step: string | undefined
}

export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const fence = /^\s*```(\S*)\s*(.*)$/.exec(lines[at] ?? '')
    if (fence === null) continue
    const start = at
    const body: string[] = []
    for (at++; at < lines.length && !/^\s*```\s*$/.test(lines[at] ?? ''); at++) body.push(lines[at] ?? '')
    const words = (fence[2] ?? '').split(/\s+/)
    const valueOf = (name: string): string | undefined =>
      words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
    blocks.push({
      language: fence[1] ?? '',
      line: start + 1,
      text: body.join('\n'),
      isRun: words.includes('run'),
      isAnswer: words.includes('answer'),
      apart: valueOf('apart'),
      file: valueOf('file'),
      step: valueOf('step'),
    })
  }
  return blocks
}
