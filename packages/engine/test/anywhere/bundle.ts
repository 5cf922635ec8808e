/** The engine as other programs get it: one file from its main door, without any other package, for browsers. */
import { build } from 'esbuild'

/** Defines the global `engine`. Anything that a browser does not have, such as `node:fs`, makes the build fail. */
export async function bundleEngine(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['packages/engine/src/index.ts'],
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'engine',
    target: 'es2022',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** JavaScript that answers bodies with a packed deployment: the texts of the answers, or the code of a refusal. */
export const ANSWER_ALL = `({ packed, call, bodies, today }) => {
  const { bytes } = engine.compile(packed)
  return bodies.map((body) => {
    try {
      return new TextDecoder().decode(bytes[call](new TextEncoder().encode(body), today))
    } catch (error) {
      return String(error.code ?? error.message)
    }
  })
}`
