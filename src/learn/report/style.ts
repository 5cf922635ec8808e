/** The look of a report: one column, quiet colours, tables with figures set right, and pages that break well in print. */
export const STYLE = `
/* One light page, on screens and on paper alike. */
:root { color-scheme: light; --ink: #17222d; --quiet: #5a6875; --line: #d9e0e6; --accent: #0a6c87; --event: #b8472c; --wash: #f4f7f9; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 62rem; color: var(--ink); background: #fff;
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; }
header { border-bottom: 2px solid var(--ink); padding-bottom: 1rem; margin-bottom: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .35rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p { margin: .4rem 0; max-width: 46rem; }
.quiet, figcaption, caption { color: var(--quiet); }
.kind { text-transform: uppercase; letter-spacing: .08em; font-size: .75rem; color: var(--accent); font-weight: 600; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; }
.tile { background: var(--wash); border-radius: 6px; padding: .8rem 1rem; }
.tile b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; line-height: 1.25; }
.tile span { font-size: .82rem; color: var(--quiet); display: block; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1.5rem; align-items: start; }
figure { margin: 0; }
figcaption { font-size: .85rem; margin-top: .35rem; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-size: .85rem; padding-bottom: .35rem; }
table.few { width: auto; min-width: min(26rem, 100%); }
table.wide { font-size: .72rem; } table.wide th, table.wide td { padding: .3rem .25rem; } table.wide svg.forest { width: 70px; }
table.wide th:first-child { min-width: 5rem; }
th, td { text-align: right; padding: .32rem .55rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { font-weight: 600; border-bottom: 1px solid var(--ink); vertical-align: bottom; white-space: normal; }
tbody th { font-weight: 400; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; min-width: 7.5rem; }
tr.own th, tr.own td { background: #e6f2f5; font-weight: 600; }
tr.head th { font-weight: 600; padding-top: .8rem; border-bottom-color: var(--ink); }
tr.head td { border-bottom-color: var(--ink); }
.scroll { overflow-x: auto; margin-top: 1.1rem; }
svg.chart { width: 100%; height: auto; display: block; }
svg.forest { width: 120px; height: 13px; display: inline-block; vertical-align: middle; }
.grid { stroke: var(--line); stroke-width: 1; } .axis { stroke: var(--ink); stroke-width: 1; }
.tick { font-size: 11px; fill: var(--quiet); } .title { font-size: 12px; fill: var(--ink); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.band { fill: var(--accent); opacity: .16; } .curve { fill: none; stroke: var(--accent); stroke-width: 2.4; }
.before { fill: none; stroke: var(--event); stroke-width: 2; stroke-dasharray: 6 4; }
.ideal { fill: none; stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 3 3; }
.whisker { stroke: var(--ink); stroke-width: 1.2; } .group { fill: var(--ink); }
.with { fill: var(--event); } .without { fill: #9fb4c2; }
.everybody { fill: none; stroke: #9fb4c2; stroke-width: 2; } .nobody { stroke: var(--ink); stroke-width: 1; }
.key { display: inline-block; width: 1.4em; height: .28em; vertical-align: middle; margin: 0 .3em 0 .6em; border-radius: 2px; }
.key.a { background: var(--accent); } .key.e { background: var(--event); } .key.g { background: #9fb4c2; }
.key.d { background: repeating-linear-gradient(90deg, var(--event) 0 .4em, transparent .4em .6em); }
.warn { border-left: 4px solid var(--event); padding: .5rem .9rem; background: #fbf1ee; max-width: none; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .8rem; font-size: .82rem; color: var(--quiet); }
@media print { html { font-size: 11px; } body { padding: 0; max-width: none; font-size: 1rem; } p { max-width: none; }
  h2, caption, thead { break-after: avoid; } .tiles { grid-template-columns: repeat(5, 1fr); } .scroll { overflow: visible; }
  figure, table, .tiles { break-inside: avoid; } .tile { border: 1px solid var(--line); }
  .two { grid-template-columns: 1fr 1fr; } }
@page { margin: 16mm; }
`
