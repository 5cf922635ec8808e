/** How much of the trees the rows of an import have proved. */

/** With a smaller share of the splits taken on both sides, a warning says so. */
const FEW_SPLITS = 0.8

/** Undefined where the rows test most splits of the trees. */
export function splitWarning(proved: {
  readonly splits: number
  readonly bothSides: number
}): string | undefined {
  const { splits, bothSides } = proved
  if (splits === 0 || bothSides / splits >= FEW_SPLITS) return undefined
  return `the rows take only ${bothSides} of ${splits} splits on both sides; nothing proves the other ${splits - bothSides}. Add rows that reach them, best the training data.`
}
