/** Prose and comments have at most 140 columns, so that they can be read and compared without a wide window. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const WIDEST = 140
const FOLDERS = [
  'packages',
  'test',
  'bench',
  'scripts',
  'docs',
  'clinical',
  'examples',
  'ops',
  'clients',
  '.github',
]
const COMMENT = /^\s*\*|(^|\s)\/[/*]/
const SCRIPT_COMMENT = /(^|\s)#\s/
const ADDRESS = /https?:\/\/[^\s)]+/g

const files = [
  ...readdirSync('.'),
  ...FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ),
].filter(
  (name) =>
    !/(^|\/)(node_modules|\.venv|dist|built|fixtures|generated)(\/|$)/.test(name) && statSync(name).isFile(),
)

/** Lines of prose that are too wide. Tables and code blocks may be wider, and an address cannot be wrapped. */
function wideProse(text: string): readonly number[] {
  let isCode = false
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    const isProse = !isCode && !line.trimStart().startsWith('|')
    return isProse && line.replace(ADDRESS, '').length > WIDEST ? [index + 1] : []
  })
}

function wideComments(text: string, comment: RegExp): readonly number[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line.length > WIDEST && comment.test(line) ? [index + 1] : []))
}

function wideLines(name: string, text: string): readonly number[] {
  if (name.endsWith('.md')) return wideProse(text)
  if (/\.(ts|tsx|js|cjs|css)$/.test(name)) return wideComments(text, COMMENT)
  return /\.(py|sh|ya?ml)$|Dockerfile$/.test(name) ? wideComments(text, SCRIPT_COMMENT) : []
}

test('prose and comments have at most 140 columns', () => {
  const wide = files.flatMap((name) =>
    wideLines(name, readFileSync(name, 'utf8')).map((line) => `${name}:${line}`),
  )
  assert.deepEqual(wide, [])
})

const WORDS = 'word '.repeat(30)
const PLANTED = [
  ['a.md', WORDS, [1]],
  ['a.md', `\`\`\`\n${WORDS}\n\`\`\`\n${WORDS}`, [4]],
  ['a.md', `| ${WORDS} |\n- https://${'a'.repeat(140)}`, []],
  ['a.ts', `/** ${WORDS} */\n// ${WORDS}\n  const a = 1 // ${WORDS}\nconst text = '${WORDS}'`, [1, 2, 3]],
  ['a.py', `# ${WORDS}\ntext = "${WORDS}"`, [1]],
] as const

for (const [name, text, lines] of PLANTED) {
  test(`wide lines of ${name} are found: ${text.slice(0, 12).replaceAll('\n', ' ')}`, () => {
    assert.deepEqual(wideLines(name, text), lines)
  })
}
