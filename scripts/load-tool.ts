/** Installs the packages of a folder in `tools/`, from its own lock file, where they are not installed yet. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const TOOLS = fileURLToPath(new URL('../tools', import.meta.url))
const INSTALL_MS = 300_000
/** Holds the digest of the lock file that was installed. */
const STAMP = 'node_modules/.installed'

export type Tool = 'assemblyscript' | 'fhir-structure' | 'kubernetes'

/** The packages of a tool cannot be installed: most often the registry cannot be reached. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing'

  constructor(tool: Tool) {
    super(`the packages of tools/${tool} cannot be installed: npm ci fails there`)
  }
}

/** The exports of the tool's `index.js`, with its packages installed. Throws a ToolMissing. */
export function loadTool(tool: Tool): Promise<unknown> {
  install(tool)
  return import(pathToFileURL(join(TOOLS, tool, 'index.js')).href) as Promise<unknown>
}

/** Why the tests of a tool are skipped; false where its packages are installed. */
export function whyNoTool(tool: Tool): string | false {
  try {
    install(tool)
    return false
  } catch (error) {
    if (error instanceof ToolMissing) return error.message
    throw error
  }
}

function install(tool: Tool): void {
  const folder = join(TOOLS, tool)
  const stamp = join(folder, STAMP)
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  const options = ['--workspaces=false', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  try {
    execFileSync('npm', ['ci', '--silent', '--fetch-retries=1', ...options], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INSTALL_MS,
    })
  } catch {
    throw new ToolMissing(tool)
  }
  writeFileSync(stamp, lock)
}
