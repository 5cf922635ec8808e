/** Builds the page into `workbench/built`. The same sources give the same bytes, and a test rebuilds and compares. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))

export async function buildWorkbench(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    absWorkingDir: root,
    entryPoints: [
      { in: 'src/main.tsx', out: 'page' },
      { in: 'styles/page.css', out: 'page' },
    ],
    outdir: folder,
    bundle: true,
    // What is imported on demand (Spanish, spreadsheets, the model's page, operations) is a file of its own.
    splitting: true,
    chunkNames: '[name]-[hash]',
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
