/** What a mark of a drawing stands for: the mark itself, small, and its words. */
import type { VNode } from 'preact'

export type MarkKind =
  | 'curve'
  | 'band'
  | 'before'
  | 'ideal'
  | 'decile'
  | 'with'
  | 'without'
  | 'everybody'
  | 'nobody'
  | 'own'
  | 'month'

const BARS: ReadonlySet<MarkKind> = new Set(['band', 'with', 'without'])
const DOTS: ReadonlySet<MarkKind> = new Set(['decile', 'month', 'own'])

export function LegendKey({ kind, text }: { readonly kind: MarkKind; readonly text: string }): VNode {
  return (
    <span class="legend">
      <svg class="chart legend-mark" viewBox="0 0 24 12" aria-hidden="true">
        <Mark kind={kind} />
      </svg>
      {text}
    </span>
  )
}

function Mark({ kind }: { readonly kind: MarkKind }): VNode {
  if (BARS.has(kind)) return <rect class={kind} x="6" y="1" width="12" height="10" />
  if (!DOTS.has(kind)) return <path class={kind} d="M0 6H24" />
  return (
    <g class={kind}>
      {kind === 'decile' && <path d="M12 0V12" />}
      <circle cx="12" cy="6" r="4" />
    </g>
  )
}
