/** Commands, options and exit codes in documents are those of the command line. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS, readManual } from 'patient-risk/cli'
import { DEFAULT_OVERLAP } from '@patient-risk/server/store'
import { runHere } from '../support/run-command.ts'
import { blocksOf } from '../support/document-blocks.ts'
import { DOCUMENTS, codesIn, readPage, rowsOf } from '../support/document-pages.ts'

const COMMAND = /(?:npx |`|bin\/)patient-risk(?:\.js)? ([a-z][^\n`|>]*)/g
const OPTION = /(?<![\w-])--[a-z][a-z-]*/g

const helpOf = async (...words: readonly string[]): Promise<string> =>
  (await runHere([...words, '--help'])).out
const optionsIn = (text: string): readonly string[] => [...new Set(text.match(OPTION))].sort()

test('docs/commands.md has every command, once', () => {
  const names = COMMANDS.map(({ name }) => name)
  assert.deepEqual(
    readManual()
      .map(({ name }) => name)
      .sort(),
    names.sort(),
  )
})

for (const { name, load } of COMMANDS) {
  test(`docs/commands.md has the options of ${name}, each with what follows it, and no other`, async () => {
    const { help = '' } = readManual().find((each) => each.name === name) ?? {}
    assert.ok(help.startsWith(`Usage: patient-risk ${name}`))
    const { texts = [], lists = [], flags = [], numbers = {} } = (await load())?.options ?? {}
    const valued = [...texts, ...lists, ...Object.keys(numbers)]
    const lined = [...help.matchAll(/^ {2}--([a-z-]+(?:, --[a-z-]+)*)( (?=\S))?/gm)].flatMap(
      ([, options = '', space]) =>
        options.split(', --').map((option) => [option, space !== undefined] as const),
    )
    // The usage shows all options of some commands; of others each has a line of its own.
    const [usage = ''] = help.split('\n\n')
    const told = [...optionsIn(usage).map((option) => option.slice(2)), ...lined.map(([option]) => option)]
    assert.deepEqual([...new Set(told)].sort(), [...valued, ...flags].sort())
    for (const [option, isValued] of lined) assert.equal(valued.includes(option), isValued, option)
  })
}

test('docs/commands.md states the defaults of the commands', async () => {
  assert.match(await helpOf('keys', 'rotate'), new RegExp(`\\(default ${DEFAULT_OVERLAP}\\)`))
})

for (const [page, command] of [
  ['docs/score-files.md', 'score'],
  ['docs/sql.md', 'sql'],
] as const) {
  test(`${page} has every option of patient-risk ${command}, and no other`, async () => {
    const text = readPage(page).replaceAll(/^spark-submit .*$/gm, '')
    assert.deepEqual(optionsIn(text), optionsIn(await helpOf(command)))
  })
}

test('commands in documents exist, and take the options that are given to them', async () => {
  const names = [...(await helpOf()).matchAll(/^ {2}([a-z]+(?: [a-z-]+)?) {2,}/gm)].map(
    ([, name = '']) => name,
  )
  assert.ok(names.length > 20)
  const wrong: string[] = []
  for (const [document, text] of DOCUMENTS) {
    for (const [, line = ''] of text.replaceAll('\\\n', ' ').matchAll(COMMAND)) {
      const command = names.find((name) => `${line} `.startsWith(`${name} `))
      // A group of commands, such as `learn`, has a help too.
      const known = optionsIn(await helpOf(...(command ?? line).split(' ')))
      const isGroup = names.some((name) => name.startsWith(`${line} `))
      if (command === undefined && !isGroup) wrong.push(`${document}: ${line}`)
      for (const option of optionsIn(line)) if (!known.includes(option)) wrong.push(`${document}: ${line}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('docs/learn.md has every learn command', async () => {
  const commands = (await helpOf('learn')).match(/^ {2}learn [a-z]+/gm)?.map((line) => line.trim()) ?? []
  const listed = rowsOf('docs/learn.md').flatMap(([first]) => codesIn(first))
  assert.deepEqual(listed.filter((name) => name.startsWith('learn ')).sort(), commands.sort())
})

test('docs/score-files.md has the exit codes of the command', async () => {
  const [, codes = ''] = (await helpOf('score')).split('Exit codes: ')
  const listed = rowsOf('docs/score-files.md').map(([code = '']) => code)
  const stated = [...codes.matchAll(/(?:^|, )(\d+) /g)].map(([, code = '']) => code)
  assert.deepEqual(stated, ['0', '1', '2', '3', '4', '130'])
  assert.deepEqual(
    stated.filter((code) => !listed.includes(code)),
    [],
  )
})

/** Pages that an operator follows. */
const OPERATORS = ['operations', 'storage', 'keys', 'audit', 'configuration', 'scaling', 'limits']

test('a block of commands for operators that no test runs says so where the reader sees it', () => {
  const silent = OPERATORS.map((name) => `docs/${name}.md`).flatMap((page) =>
    blocksOf(readPage(page))
      .filter(
        ({ language, isRun, apart }) => language === 'sh' && !isRun && apart?.startsWith('run-by-') !== true,
      )
      .filter(({ text }) => !text.startsWith('# not run by a test'))
      .map(({ line }) => `${page}:${line}`),
  )
  assert.deepEqual(silent, [])
})
