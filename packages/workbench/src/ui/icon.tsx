/** A few icons. Each has a text next to it that says the same. */
import type { VNode } from 'preact'

const PATHS = {
  pulse: 'M2 12h4l3-8 5 16 3-8h5',
  alert: 'M12 8v5m0 3.5v.01M12 3 2.5 20h19z',
  info: 'M12 11v6m0-10v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  print: 'M7 9V3h10v6M7 18H4v-8h16v8h-3M7 14h10v7H7z',
  copy: 'M9 9h11v12H9zM5 15H4V3h11v2',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  down: 'M12 4v11m-5-4 5 5 5-5M4 20h16',
  up: 'M12 20V9m-5 4 5-5 5 5M4 4h16',
  close: 'M5 5l14 14M19 5 5 19',
  sun: 'M12 4V2m0 20v-2m8-8h2M2 12h2m13.7-5.7 1.4-1.4M4.9 19.1l1.4-1.4m11.4 0 1.4 1.4M4.9 4.9l1.4 1.4M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z',
  lock: 'M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z',
  out: 'M14 4h5v16h-5M10 8l-4 4 4 4m-4-4h9',
} as const

export function Icon({ name }: { readonly name: keyof typeof PATHS }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
