/** A decision tree in words, as a nested list. */
import {
  type SplitDefinition,
  type TermDefinition,
  type TreeDefinition,
  type TreesDefinition,
  fieldsOfTrees,
  isSplit,
} from 'patient-risk-engine/definition'
import { MODEL_PAGE_TEXTS } from '../catalog/words/page-texts.ts'
import { IN_ENGLISH, type Say, orList } from './inputs.ts'
import { paragraphs } from './markdown.ts'

const T = MODEL_PAGE_TEXTS

/** Trees of up to so many nodes are shown together; of more, pages print the first tree. */
const SHOWN_NODES = 400

function nodeCount({ trees }: TreesDefinition): number {
  return trees.reduce((sum, tree) => sum + tree.length, 0)
}

/** All trees of a model. People number them from 1. */
export function treesOf({ terms }: { readonly terms: readonly TermDefinition[] }): readonly TreeDefinition[] {
  return terms.flatMap((term) => (term.kind === 'trees' ? term.trees : []))
}

/** A term as the card of a deployment has it: with its trees only where they are few. */
export function servedTerm(term: TermDefinition): object {
  if (term.kind !== 'trees') return term
  const { trees, ...rest } = term
  const about = { ...rest, count: trees.length, fields: fieldsOfTrees(term) }
  return nodeCount(term) <= SHOWN_NODES ? { ...about, trees } : about
}

export function treesText(term: TreesDefinition, id: string, before: number, say: Say): string {
  const { trees, combine, rounding } = term
  const nodes = nodeCount(term)
  const shown = nodes <= SHOWN_NODES ? trees : trees.slice(0, 1)
  const many = combine === 'mean' ? T.meanOfTrees : T.sumOfTrees
  const count = say(trees.length === 1 ? T.oneTree : many, { n: trees.length, nodes })
  const rounded = { none: undefined, value: T.roundedValues, both: T.roundedBoth }[rounding ?? 'none']
  const command = `\`patient-risk models ${id} --tree N\``
  const left =
    shown.length === trees.length ? undefined : say(T.otherTrees, { n: before + trees.length, command })
  return paragraphs(
    rounded === undefined ? count : `${count} ${say(rounded)}`,
    ...shown.map((tree, at) => treeText(tree, before + at + 1, say)),
    left,
  )
}

/** The tree with this number. */
export function treeNumbered(
  terms: readonly TermDefinition[],
  number: number,
  say = IN_ENGLISH,
): string | undefined {
  const tree = treesOf({ terms })[number - 1]
  return tree && `${treeText(tree, number, say)}\n`
}

export function treeText(tree: TreeDefinition, number: number, say = IN_ENGLISH): string {
  const lines: string[] = []
  const walk = (place: number, words: string, depth: number): void => {
    const node = tree[place] as TreeDefinition[number]
    const start = `${'  '.repeat(depth)}- ${words}`
    if (!isSplit(node)) lines.push(`${start}: ${node}`)
    else {
      if (words !== '') lines.push(`${start}:`)
      const inside = words === '' ? depth : depth + 1
      walk(node.then, questionOf(node, say), inside)
      walk(node.else, say(node.absent === 'else' ? T.otherwiseOrAbsent : T.otherwise), inside)
    }
  }
  walk(0, isSplit(tree[0] as TreeDefinition[number]) ? '' : say(T.always), 0)
  return `${say(T.treeNumber, { n: number })}\n\n${lines.join('\n')}`
}

function questionOf({ field: name, below, upTo = 0, oneOf, absent }: SplitDefinition, say: Say): string {
  const field = `\`${name}\``
  const edge =
    below === undefined ? say(T.fieldUpTo, { field, to: upTo }) : say(T.fieldBelow, { field, to: below })
  const condition =
    oneOf === undefined ? edge : say(T.fieldIs, { field, values: orList(oneOf.map(String), say) })
  return absent === 'then' ? say(T.orAbsent, { condition }) : condition
}
