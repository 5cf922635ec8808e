/**
 * What every reader of a model file gives: the model in our own terms, but over the features and codes that the file names.
 * `convert-terms.ts` turns features into fields of the record, so no reader needs to know the catalogue.
 */
import type { ModelDefinition, TermDefinition } from 'patient-risk-engine/definition'
import type { ImportPart } from '../data/specification.ts'

export interface SourceModel {
  /** The tool and its version as the file states them, for messages and for the card. */
  readonly tool: string
  readonly features: readonly SourceFeature[]
  /**
   * `field` is the name of a feature. Codes are those of the file. Every split says where an absent value goes. A category without
   * points for a code that the feature may have gives 0. A leaf that is not a number has no result.
   */
  readonly terms: readonly TermDefinition[]
  readonly link: ModelDefinition['link']
  /** Said when rows differ: what the file leaves open, such as a number of trees that some calls use. */
  readonly ifRowsDiffer?: readonly string[]
}

export interface SourceFeature {
  readonly name: string
  /** What the file itself says about it; `unknown` where it says nothing. */
  readonly kind: 'number' | 'code' | 'unknown'
  /** In the order of the file, where it lists them. */
  readonly codes?: readonly string[]
  /** The least and the largest number that has a result, where the file says it. */
  readonly from?: number
  readonly to?: number
}

/** What the specification tells a reader because files leave it out. */
export interface ReadOptions extends Omit<ImportPart, 'features' | 'rows'> {
  /** Only the names of features are wanted, before there is a specification. */
  readonly isDraft?: boolean
  /** Whether the specification gives the absence of a feature a meaning. Without it, every feature may be absent. */
  readonly mayBeAbsent?: (feature: string) => boolean
  /** The order of codes by feature, where the file has numbers only. Without one, splits name the numbers. */
  readonly codes?: ReadonlyMap<string, readonly string[]>
  /** Where a reader notes which of the stated options the file needs. */
  readonly used?: Set<StatedOption>
}

/** What a specification states in `import`; `codes` are those of `order`. */
export const STATED = ['trees', 'event', 'horizon', 'baseline', 'link', 'codes'] as const
export type StatedOption = (typeof STATED)[number]

/** What the specification states, noted as used. A reader asks for an option only where the file needs it. */
export function stated<Option extends StatedOption>(
  options: ReadOptions,
  option: Option,
): ReadOptions[Option] {
  options.used?.add(option)
  return options[option]
}

export type ModelReader = (text: string, options: ReadOptions) => SourceModel

/** Something in the file that cannot be taken over exactly: the element, where it is, and why. */
export class NotSupported extends Error {
  constructor(where: string, why: string) {
    super(`${where}: ${why}`)
    this.name = 'NotSupported'
  }
}

export function refuse(where: string, why: string): never {
  throw new NotSupported(where, why)
}

/** The first trees, as many as the specification says. */
export function usedTrees<Tree>(all: readonly Tree[], options: ReadOptions): readonly Tree[] {
  const trees = stated(options, 'trees') ?? all.length
  if (all.length === 0) refuse('the file', 'has no trees')
  if (trees > all.length) refuse('import.trees', `is ${trees}, and the file has ${all.length} trees`)
  return all.slice(0, trees)
}

/** In a tree, every node but the first has one split above it. */
export function refuseShared(children: readonly number[], where: string): void {
  if (new Set(children).size < children.length || children.includes(0))
    refuse(where, 'lead to a node twice, or back to a split above')
}

/** The codes that a split names by their numbers; the numbers where the file has no names. */
export function namedCodes(
  { name, codes }: SourceFeature,
  numbers: readonly number[],
  where: string,
): (string | number)[] {
  const isKnown = (number: number): boolean => codes === undefined || number < codes.length
  if (numbers.length === 0 || !numbers.every(isKnown))
    refuse(where, `names a code of ${name} beyond its list of codes`)
  return numbers.map((number) => codes?.[number] ?? number)
}
