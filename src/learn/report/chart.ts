/** A small plot as SVG: axes with round ticks, and marks in the units of the data. No script is needed to see it. */

export interface Axis {
  readonly from: number
  readonly to: number
  readonly title: string
  /** How a tick is written. */
  readonly format: (value: number) => string
}

const WIDTH = 460
const LEFT = 56
const RIGHT = 14
const TOP = 12
const BOTTOM = 44

export class Chart {
  private readonly x: Axis
  private readonly y: Axis
  private readonly height: number
  private readonly marks: string[] = []
  private readonly title: string

  constructor(title: string, x: Axis, y: Axis, height = 320) {
    this.title = title
    this.x = x
    this.y = y
    this.height = height
  }

  line(points: readonly (readonly [number, number])[], className: string): void {
    this.marks.push(
      `<polyline class="${className}" points="${points.map((point) => this.at(point)).join(' ')}"/>`,
    )
  }

  area(points: readonly (readonly [number, number])[], className: string): void {
    this.marks.push(
      `<polygon class="${className}" points="${points.map((point) => this.at(point)).join(' ')}"/>`,
    )
  }

  dot([x, y]: readonly [number, number], className: string): void {
    this.marks.push(
      `<circle class="${className}" cx="${round(this.left(x))}" cy="${round(this.top(y))}" r="3.5"/>`,
    )
  }

  bar(from: number, to: number, height: number, className: string): void {
    const top = this.top(height)
    const width = Math.max(0, this.left(to) - this.left(from) - 1)
    this.marks.push(
      `<rect class="${className}" x="${round(this.left(from))}" y="${round(top)}" width="${round(width)}" height="${round(Math.max(0, this.top(this.y.from) - top))}"/>`,
    )
  }

  text([x, y]: readonly [number, number], text: string, className: string): void {
    this.marks.push(
      `<text class="${className}" x="${round(this.left(x))}" y="${round(this.top(y))}">${escapeText(text)}</text>`,
    )
  }

  toString(): string {
    return `<svg class="chart" viewBox="0 0 ${WIDTH} ${this.height}" role="img" aria-label="${escapeText(this.title)}">
${this.axes()}
${this.marks.join('\n')}
</svg>`
  }

  private axes(): string {
    const floor = this.height - BOTTOM
    const acrossTicks = ticks(this.x.from, this.x.to).map(
      (value) =>
        `<line class="grid" x1="${round(this.left(value))}" y1="${TOP}" x2="${round(this.left(value))}" y2="${floor}"/><text class="tick middle" x="${round(this.left(value))}" y="${floor + 16}">${this.x.format(value)}</text>`,
    )
    const upTicks = ticks(this.y.from, this.y.to).map(
      (value) =>
        `<line class="grid" x1="${LEFT}" y1="${round(this.top(value))}" x2="${WIDTH - RIGHT}" y2="${round(this.top(value))}"/><text class="tick end" x="${LEFT - 8}" y="${round(this.top(value) + 4)}">${this.y.format(value)}</text>`,
    )
    const middle = (LEFT + WIDTH - RIGHT) / 2
    const half = (TOP + floor) / 2
    return [
      ...acrossTicks,
      ...upTicks,
      `<line class="axis" x1="${LEFT}" y1="${floor}" x2="${WIDTH - RIGHT}" y2="${floor}"/>`,
      `<text class="title middle" x="${middle}" y="${this.height - 6}">${escapeText(this.x.title)}</text>`,
      `<text class="title middle" transform="rotate(-90 14 ${half})" x="14" y="${half}">${escapeText(this.y.title)}</text>`,
    ].join('\n')
  }

  private at([x, y]: readonly [number, number]): string {
    return `${round(this.left(x))},${round(this.top(y))}`
  }

  private left(x: number): number {
    const share = (Math.min(this.x.to, Math.max(this.x.from, x)) - this.x.from) / (this.x.to - this.x.from)
    return LEFT + share * (WIDTH - LEFT - RIGHT)
  }

  private top(y: number): number {
    const share = (Math.min(this.y.to, Math.max(this.y.from, y)) - this.y.from) / (this.y.to - this.y.from)
    return this.height - BOTTOM - share * (this.height - TOP - BOTTOM)
  }
}

/** About five round values from one end to the other. */
export function ticks(from: number, to: number): readonly number[] {
  const rough = (to - from) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough * 0.8) ?? rough
  const first = Math.ceil(from / step - 1e-9)
  const last = Math.floor(to / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_each, index) =>
    Number(((first + index) * step).toPrecision(10)),
  )
}

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
