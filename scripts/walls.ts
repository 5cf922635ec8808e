/** `node scripts/walls.ts`: writes the table of ARCHITECTURE.md that says which folder may import which, from walls.json. */
import { readFileSync, writeFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'

export const ARCHITECTURE_PAGE = 'ARCHITECTURE.md'
const BLOCK = /(<!-- Generated from walls\.json[^>]*-->\n).*?(<!-- End of the generated tables -->)/s

/**
 * By the name of a folder or file of src, or of a folder beside src: what it may import. That is another such name, or the path of
 * a single file. A folder may import only what is listed before it.
 */
export type Walls = Readonly<Record<string, readonly string[]>>

export function readWalls(): Walls {
  return JSON.parse(readFileSync('walls.json', 'utf8')) as Walls
}

/** The page with the table as it should be. */
export async function architecturePage(page: string, walls: Walls): Promise<string> {
  if (!BLOCK.test(page)) throw new Error(`${ARCHITECTURE_PAGE} has no place for the table of walls.json`)
  const isFile = (permission: string): boolean => permission.includes('/')
  const rows = Object.entries(walls).map(([room, allowed]) => {
    const names = allowed.filter((each) => !isFile(each))
    return `| \`${room}\` | ${names.join(', ') || 'none'} |`
  })
  const files = Object.entries(walls).flatMap(([room, allowed]) => {
    return allowed.filter(isFile).map((file) => `| \`${room}\` | \`${file}\` |`)
  })
  const tables = [
    ['| folder or file | may import |', '| --- | --- |', ...rows],
    ['| folder | may also import this file |', '| --- | --- |', ...files],
  ].map((lines) => lines.join('\n'))
  const text = page.replace(
    BLOCK,
    (_block, start: string, end: string) => `${start}\n${tables.join('\n\n')}\n\n${end}`,
  )
  return format(text, { ...(await resolveConfig(ARCHITECTURE_PAGE)), parser: 'markdown' })
}

if (import.meta.main) {
  writeFileSync(
    ARCHITECTURE_PAGE,
    await architecturePage(readFileSync(ARCHITECTURE_PAGE, 'utf8'), readWalls()),
  )
}
