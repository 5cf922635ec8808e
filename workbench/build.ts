/**
 * Builds the page into `workbench/built/page`, and what renders a report as HTML into `workbench/built/report`. The same
 * sources give the same bytes, and a test rebuilds and compares.
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions
/**
 * The reader of spreadsheets unzips every part above 512 kB in a worker made of a blob, which the policy of the page forbids:
 * such a file would never be read. Unzipping takes a moment only, so it is done in place.
 */
const UNZIP_HERE: Plugin = {
  name: 'unzip-here',
  setup(bundler) {
    bundler.onResolve({ filter: /^fflate$/ }, ({ namespace, resolveDir }) =>
      namespace === 'file' ? { path: 'fflate', namespace: 'unzip-here', pluginData: resolveDir } : undefined,
    )
    bundler.onLoad({ filter: /.*/, namespace: 'unzip-here' }, ({ pluginData }) => ({
      resolveDir: pluginData as string,
      contents: `import { unzipSync } from 'fflate'
        export { strFromU8 } from 'fflate'
        export function unzip(archive, done) {
          let files
          try { files = unzipSync(archive) } catch (error) { return done(error) }
          done(null, files)
        }`,
    }))
  },
}
const BROWSERS = ['es2022', 'chrome109', 'firefox115', 'safari16']

export async function buildWorkbench(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(`${folder}/page`, { recursive: true })
  await buildPage(`${folder}/page`)
  await buildReport(`${folder}/report`)
}

async function buildPage(folder: string): Promise<void> {
  await build({
    ...COMMON,
    entryPoints: [
      { in: 'src/main.tsx', out: 'page' },
      { in: 'styles/page.css', out: 'page' },
    ],
    outdir: folder,
    // What is imported on demand (Spanish, words on instruments, spreadsheets, the model's page, operations) is a file of its own.
    splitting: true,
    plugins: [UNZIP_HERE],
    chunkNames: '[name]-[hash]',
    target: BROWSERS,
  })
  for (const file of ['index.html', 'icon.svg']) copyFileSync(`${root}${file}`, `${folder}/${file}`)
}

async function buildReport(folder: string): Promise<void> {
  const entryPoints = ['styles/report-page.css']
  const { outputFiles } = await build({ ...COMMON, entryPoints, target: BROWSERS, write: false })
  const style = outputFiles[0]?.text.trim() ?? ''
  await build({
    ...COMMON,
    entryPoints: ['src/report/render-report.tsx'],
    outdir: folder,
    platform: 'node',
    target: 'node22',
    define: { REPORT_STYLE: JSON.stringify(style) },
  })
  writeFileSync(`${folder}/render-report.d.ts`, TYPES)
}

const TYPES = `/** A report of patient-risk learn as one page of HTML, without script. */
export declare function renderReport(report: object): string
export declare function renderMonitoring(report: object): string
`

if (import.meta.main) await buildWorkbench(`${root}built`)
