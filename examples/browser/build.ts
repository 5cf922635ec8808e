/** `npm run example:browser`: builds `examples/browser/index.html`, one file without any other. The same sources give the same bytes. */
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { loadCatalog, makeDeployments, packDeployment } from '@patient-risk/catalog'

const here = fileURLToPath(new URL('.', import.meta.url))
export const PAGE = `${here}index.html`
const CLINICAL = fileURLToPath(new URL('../../clinical', import.meta.url))
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

export async function buildPage(): Promise<string> {
  const { catalog } = loadCatalog([CLINICAL])
  if (catalog === undefined) throw new Error('The clinical files are refused: patient-risk check says why.')
  const settings = { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' } as const
  const [deployment] = makeDeployments(catalog, [settings], 'UTC').deployments
  if (deployment === undefined) throw new Error('The model readmission30 is not in the catalogue.')
  const { outputFiles } = await build({
    entryPoints: [`${here}page.ts`],
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    charset: 'utf8',
    legalComments: 'none',
    target: BROWSERS,
    define: { DEPLOYMENT: 'PACKED' },
    banner: { js: `const PACKED=${JSON.stringify(packDeployment(catalog, deployment))};` },
  })
  // In a page "</script" would end the script, wherever it stands.
  const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script').trim()
  const { code } = await transform(readFileSync(`${here}page.css`, 'utf8'), { loader: 'css', minify: true })
  const style = code.trim()
  const policy = `default-src 'none'; connect-src 'none'; form-action 'none'; base-uri 'none'; script-src ${sourceOf(script)} 'wasm-unsafe-eval'; style-src ${sourceOf(style)}`
  const parts: Readonly<Record<string, string>> = { POLICY: policy, STYLE: style, SCRIPT: script }
  return readFileSync(`${here}page.html`, 'utf8').replace(
    /POLICY|\s*\b(?:STYLE|SCRIPT)\b\s*/g,
    (name) => parts[name.trim()] ?? '',
  )
}

/** Only a text with this digest runs: another script that came into the page would not. */
function sourceOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`
}

if (import.meta.main) {
  const page = await buildPage()
  writeFileSync(PAGE, page)
  process.stdout.write(
    `examples/browser/index.html is built: ${Math.round(Buffer.byteLength(page) / 1_000)} kB.\n`,
  )
}
