/** Shares of weighted rows: a weight counts as so many rows of the same patient, and one weight for all changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Labels, shareEstimate } from '@patient-risk/statistics'

const YES = [1, 0, 0, 1, 1, 0, 0, 0]

function rowsOf(patients: readonly number[], weights?: readonly number[]): Labels {
  const rows = {
    outcomes: Uint8Array.from(patients, (patient) => YES[patient] ?? 0),
    clusters: Int32Array.from(patients),
  }
  return weights === undefined ? rows : { ...rows, weights: Float64Array.from(weights) }
}

/** Weights of eight patients · the same as rows of each patient · the share of those with the outcome. */
const ROWS = [
  [[1, 1, 1, 1, 1, 1, 1, 1], [0, 1, 2, 3, 4, 5, 6, 7], 3 / 8],
  [[2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5], [0, 1, 2, 3, 4, 5, 6, 7], 3 / 8],
  [[3, 1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 2, 3, 4, 5, 6, 7], 5 / 10],
  [[1, 3, 1, 2, 1, 1, 1, 1], [0, 1, 1, 1, 2, 3, 3, 4, 5, 6, 7], 4 / 11],
] as const

for (const [weights, patients, wanted] of ROWS) {
  test(`weights ${weights.join(' ')}: a share of ${wanted.toFixed(3)}, with the interval of as many rows`, () => {
    const shareOf = (labels: Labels) => shareEstimate(labels, (row) => labels.outcomes[row] === 1)
    const weighted = shareOf(rowsOf([0, 1, 2, 3, 4, 5, 6, 7], weights))
    const copied = shareOf(rowsOf(patients))
    assert.ok(Math.abs(weighted.value - wanted) < 1e-12)
    for (const name of ['value', 'error', 'from', 'to'] as const)
      assert.ok(
        Math.abs(weighted[name] - copied[name]) < 1e-12,
        `${name}: ${weighted[name]}, ${copied[name]}`,
      )
  })
}

/** A share of none or all has no variance: its interval is that of the patients, however many rows each has. */
for (const [outcome, rows] of [
  [0, 1],
  [0, 4],
  [1, 1],
  [1, 4],
] as const) {
  test(`a share of ${outcome} among three patients of ${rows} rows each has the interval of three`, () => {
    const clusters = Int32Array.from({ length: 3 * rows }, (_, row) => row % 3)
    const labels = { clusters, outcomes: new Uint8Array(3 * rows).fill(outcome) }
    const { value, from, to } = shareEstimate(labels, (row) => labels.outcomes[row] === 1)
    // Wilson's interval of none or all of three: 1.96² ÷ (3 + 1.96²) from its end.
    const width = 1.959964 ** 2 / (3 + 1.959964 ** 2)
    assert.equal(value, outcome)
    assert.ok(Math.abs(to - from - width) < 1e-6, `${from} to ${to}`)
  })
}
