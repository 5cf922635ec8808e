/** Round figures along an axis. */

/** Round figures that cover a range, about `wanted` of them. */
export function ticks([from, to]: readonly [number, number], wanted: number): readonly number[] {
  const rough = (to - from || 1) / wanted
  const unit = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each >= rough) ?? rough
  const first = Math.ceil(from / step - 1e-9) * step
  const found: number[] = []
  for (let tick = first; tick <= to + step * 1e-9; tick += step) found.push(tick)
  return found.map((tick) => Math.round(tick * 1e9) / 1e9 + 0)
}

/** How many decimals a percentage needs so that no two ticks read alike. */
export function percentDecimals(found: readonly number[]): number {
  return found.every((tick) => Math.abs(tick * 100 - Math.round(tick * 100)) < 1e-6) ? 0 : 1
}
