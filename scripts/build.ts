/** Builds what the npm package holds: compiled source, because types are not stripped under node_modules, and the page. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { buildWorkbench } from '../packages/workbench/build.ts'

rmSync('dist', { recursive: true, force: true })
for (const project of ['tsconfig.build.json', 'clients/tsconfig.json']) {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', project], {
    stdio: 'inherit',
  })
}
await buildWorkbench('packages/workbench/built')
