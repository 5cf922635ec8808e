/** A decision tree in words, as a nested list. */
import {
  type SplitDefinition,
  type TermDefinition,
  type TreeDefinition,
  type TreesDefinition,
  fieldsOfTrees,
  isSplit,
} from 'patient-risk-engine/definition'
import { paragraphs } from './markdown.ts'

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

export function treesText(term: TreesDefinition, id: string, before: number): string {
  const { trees, combine, rounding } = term
  const nodes = nodeCount(term)
  const shown = nodes <= SHOWN_NODES ? trees : trees.slice(0, 1)
  const verb = combine === 'mean' ? 'The mean of the points of' : 'The sum of the points of'
  const count = trees.length === 1 ? 'The points of one tree' : `${verb} ${trees.length} trees`
  const rounded = { none: '', value: ' Values are', both: ' Values and edges are' }[rounding ?? 'none']
  const left =
    shown.length === trees.length
      ? undefined
      : `The other trees, up to ${before + trees.length}: \`patient-risk models ${id} --tree N\`.`
  return paragraphs(
    `${count}, with ${nodes} nodes.${rounded === '' ? '' : `${rounded} rounded to 32 bits before they are compared.`}`,
    ...shown.map((tree, at) => treeText(tree, before + at + 1)),
    left,
  )
}

/** The tree with this number. */
export function treeNumbered(terms: readonly TermDefinition[], number: number): string | undefined {
  const tree = treesOf({ terms })[number - 1]
  return tree && `${treeText(tree, number)}\n`
}

export function treeText(tree: TreeDefinition, number: number): string {
  const lines: string[] = []
  const walk = (place: number, words: string, depth: number): void => {
    const node = tree[place] as TreeDefinition[number]
    const start = `${'  '.repeat(depth)}- ${words}`
    if (!isSplit(node)) lines.push(`${start}: ${node}`)
    else {
      if (words !== '') lines.push(`${start}:`)
      const inside = words === '' ? depth : depth + 1
      walk(node.then, questionOf(node), inside)
      walk(node.else, node.absent === 'else' ? 'otherwise, or absent' : 'otherwise', inside)
    }
  }
  walk(0, isSplit(tree[0] as TreeDefinition[number]) ? '' : 'always', 0)
  return `Tree ${number}:\n\n${lines.join('\n')}`
}

function questionOf({ field, below, upTo, oneOf, absent }: SplitDefinition): string {
  const edge = below === undefined ? `up to ${upTo}` : `below ${below}`
  const condition = oneOf === undefined ? edge : `is ${oneOf.map(String).join(' or ')}`
  return `\`${field}\` ${condition}${absent === 'then' ? ', or absent' : ''}`
}
