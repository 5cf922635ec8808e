/**
 * Builds the page into `workbench/built/page`, the page that works without a service into `workbench/built/offline`, and what
 * renders a report as HTML into `workbench/built/report`. The same sources give the same bytes, and a file that has not changed
 * is not written: a service or a test may be reading it.
 */
import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalog, makeDeployments, packDeployment } from '@patient-risk/catalog'
import { describeCatalogue, describeDeployment, describeModel } from '@patient-risk/catalog/pages'
import { build, type BuildOptions, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))

const { names, roles, values } = JSON.parse(
  readFileSync(new URL('../../clinical/languages/en.json', import.meta.url), 'utf8'),
) as object as Readonly<Record<'names' | 'roles' | 'values', object>>

/** What every bundle of texts of the page needs: the English words of the clinical files. */
export const CLINICAL_WORDS = { CLINICAL_WORDS: JSON.stringify({ names, roles, values }) }

const COMMON = {
  define: CLINICAL_WORDS,
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
        export * from 'fflate'
        export function unzip(archive, done) {
          let files
          try { files = unzipSync(archive) } catch (error) { return done(error) }
          done(null, files)
        }`,
    }))
  },
}
const BROWSERS = ['es2022', 'chrome109', 'firefox115', 'safari16']

export const PAGE = {
  ...COMMON,
  outdir: 'page',
  entryPoints: [
    { in: 'src/main.tsx', out: 'page' },
    { in: 'styles/page.css', out: 'page' },
  ],
  // What is imported on demand (spreadsheets, the model's page, operations) is a file of its own.
  splitting: true,
  plugins: [UNZIP_HERE],
  chunkNames: '[name]-[hash]',
  target: BROWSERS,
} satisfies BuildOptions

const EXAMPLE_MODEL = 'readmission30'

/** The policy of the page forbids the module of the byte reader, and a browser would report that it was tried. */
const EXAMPLE = {
  ...COMMON,
  outdir: 'page',
  entryPoints: [{ in: 'src/example/example-service.ts', out: 'example' }],
  define: { ...CLINICAL_WORDS, 'globalThis.WebAssembly': 'undefined' },
  target: BROWSERS,
} satisfies BuildOptions

/** The same views in one file, which also opens from a disk: browsers load no further module from there. */
export const OFFLINE_PAGE = {
  ...COMMON,
  outdir: 'offline',
  entryPoints: [
    { in: 'src/offline/main.tsx', out: 'page' },
    { in: 'styles/page.css', out: 'page' },
  ],
  plugins: [UNZIP_HERE],
  target: BROWSERS,
} satisfies BuildOptions

/** Bytes by the path below the built folder. */
type Files = ReadonlyMap<string, Uint8Array>

export async function buildWorkbench(folder: string): Promise<void> {
  const files: Files = new Map([
    ...(await buildPage()),
    ...(await buildOfflinePage()),
    ...(await buildReport()),
  ])
  for (const [name, bytes] of files) {
    const path = join(folder, name)
    if (existsSync(path) && readFileSync(path).equals(bytes)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  const stale = globSync('*/*', { cwd: folder }).filter((name) => !files.has(name))
  for (const name of stale) rmSync(join(folder, name))
}

async function buildPage(): Promise<Files> {
  const files = await bundle(PAGE)
  const example = await buildExample()
  const copied = ['index.html', 'icon.svg'].map(
    (name) => [`page/${name}`, readFileSync(`${root}${name}`)] as const,
  )
  return new Map([...files, ...example, ...copied])
}

/** The example that the page shows before anyone has signed in: the engine as a file of its own, and a deployment of the example model. */
async function buildExample(): Promise<Files> {
  const files = await bundle(EXAMPLE)
  return new Map([...files, ['page/example.json', Buffer.from(JSON.stringify(exampleData()))]])
}

/** It has no day of its own, so that the same sources give the same bytes. */
function exampleData(): object {
  const { catalog } = loadCatalog([fileURLToPath(new URL('../../clinical', import.meta.url))])
  if (catalog === undefined) throw new Error('The clinical files are refused: patient-risk check says why.')
  const settings = { name: 'example', basePath: '/', model: EXAMPLE_MODEL, output: 'number' } as const
  const [deployment] = makeDeployments(catalog, [settings], 'UTC').deployments
  if (deployment === undefined) throw new Error(`The model ${EXAMPLE_MODEL} is not in the catalogue.`)
  return {
    made: '',
    packed: packDeployment(catalog, deployment),
    summary: describeDeployment(deployment),
    model: describeModel(catalog, deployment),
    fields: describeCatalogue(catalog, deployment),
    languages: [],
  }
}

/** One file with everything in it but a deployment, which `patient-risk pack --page` puts in. */
async function buildOfflinePage(): Promise<Files> {
  const files = await bundle(OFFLINE_PAGE)
  const textOf = (name: string): string => Buffer.from(files.get(`offline/${name}`) ?? []).toString()
  // In a page these would end the script or begin a comment, wherever they stand.
  const script = textOf('page.js')
    .replaceAll(/<(?=\/script|!--)/g, '\\x3C')
    .trim()
  const style = textOf('page.css').trim()
  const parts: Readonly<Record<string, string>> = {
    POLICY: offlinePolicy(script, style),
    ICON: `data:image/svg+xml;base64,${readFileSync(`${root}icon.svg`, 'base64')}`,
    STYLE: style,
    SCRIPT: script,
  }
  const page = readFileSync(`${root}offline.html`, 'utf8').replace(
    /POLICY|ICON|\s*\b(?:STYLE|SCRIPT)\b\s*/g,
    (name) => parts[name.trim()] ?? '',
  )
  return new Map([['offline/page.html', Buffer.from(page)]])
}

/** Nothing is loaded and nothing is sent, and only this script and this style count: another one that came into the page would not. */
function offlinePolicy(script: string, style: string): string {
  const only = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`
  return [
    "default-src 'none'",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    'img-src data:',
    `script-src ${only(script)} 'wasm-unsafe-eval'`,
    `style-src ${only(style)}`,
  ].join('; ')
}

async function buildReport(): Promise<Files> {
  const common = { ...COMMON, outdir: 'report' }
  const [style = Buffer.of()] = (
    await bundle({ ...common, entryPoints: ['styles/report-page.css'], target: BROWSERS })
  ).values()
  return bundle({
    ...common,
    entryPoints: ['src/report/render-report.tsx'],
    platform: 'node',
    target: 'node22',
    define: { ...CLINICAL_WORDS, REPORT_STYLE: JSON.stringify(Buffer.from(style).toString().trim()) },
  })
}

async function bundle(options: BuildOptions): Promise<Files> {
  const { outputFiles } = await build({ ...options, write: false })
  return new Map(outputFiles.map(({ path, contents }) => [relative(root, path), contents]))
}

if (import.meta.main) {
  await buildWorkbench(`${root}built`)
  process.stdout.write('The page is built.\n')
}
