/** Builds the page into `workbench/built`. The same sources give the same bytes, and a test rebuilds and compares. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))

export async function buildWorkbench(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await build({
    absWorkingDir: root,
    entryPoints: [
      { in: 'src/main.tsx', out: 'page' },
      { in: 'styles/page.css', out: 'page' },
      { in: 'src/i18n/spanish.ts', out: 'spanish' },
      // Spreadsheets are rare, so their reader is a file of its own that the page loads when it needs it.
      { in: 'src/list/read-xlsx.ts', out: 'read-xlsx' },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  })
  for (const file of ['index.html', 'icon.svg']) copyFileSync(`${root}${file}`, `${folder}/${file}`)
}

if (import.meta.main) await buildWorkbench(`${root}built`)
