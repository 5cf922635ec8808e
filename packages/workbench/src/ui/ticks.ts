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

/** How many decimals percentages need to be true: 2.5 % is not 3 %. */
export function percentDecimals(found: readonly number[]): number {
  const isWhole = (scale: number): boolean =>
    found.every((tick) => Math.abs(tick * scale - Math.round(tick * scale)) < 1e-6)
  if (isWhole(100)) return 0
  return isWhole(1_000) ? 1 : 2
}

/** Where the text of a tick is anchored, so that the first and the last one stay within the drawing. */
export function anchorAt(place: number, last: number): 'start' | 'middle' | 'end' {
  if (place === 0) return 'start'
  return place === last ? 'end' : 'middle'
}
