/**
 * An empty server on which commands of docs/operations.md run: a folder stands for its root, other ports for those of the page, and
 * scripts for programs that need root or a registry. systemd is a script that does what the lines of a unit file say.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { blocksOf } from '../support/document-blocks.ts'

export const PAGE = 'docs/operations.md'
export const MARK = 'run-by-guide.slow.test.ts'
const LIMIT_MS = 300_000
/** What one block sets and a later one uses. */
const VARIABLES = 'VERSION PASSWORD KEY DAY'

const PROGRAMS: Readonly<Record<string, string>> = {
  // Nobody becomes another user.
  sudo: '[ "$1" = -u ] && shift 2\nexec env "$@"',
  runuser: 'shift 3\nexec "$@"',
  useradd: '',
  chown: '',
  install: `args=()
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then shift; else args+=("$1"); fi
  shift
done
exec /usr/bin/install "\${args[@]}"`,
  // Packages are those of this checkout.
  npm: `[ "$1" != ci ] || ln -s '${process.cwd()}/node_modules' node_modules`,
  journalctl: 'cat "$ROOT/$2.log"',
  systemctl: `verb=$1; shift
case $verb in daemon-reload | reload-or-restart) exit 0 ;; esac
for unit in "$@"; do
  [ "$unit" = --now ] && continue
  pid="$ROOT/$unit.pid"
  case $verb in stop | restart)
    if [ -e "$pid" ]; then
      kill -TERM "$(cat "$pid")" && while kill -0 "$(cat "$pid")" 2> /dev/null; do sleep 0.1; done
      rm "$pid"
    fi ;;
  esac
  [ "$verb" = stop ] && continue
  [ -e "$pid" ] && continue
  name=$unit; [[ $unit = *@* ]] && name=\${unit%@*}@
  file=$(sed -e "s|%i|\${unit#*@}|g" "$ROOT/etc/systemd/system/$name.service")
  value() { sed -n "s|^$1=-\\?||p" <<< "$file"; }
  mkdir -p "$ROOT/var/lib/$(value StateDirectory)" "$ROOT/var/cache/$(value CacheDirectory)"
  (
    set -a
    for each in $(value Environment); do eval "$each"; done
    . "$(value EnvironmentFile)"
    cd "$(value WorkingDirectory)"
    exec $(value ExecStart)
  ) >> "$ROOT/$unit.log" 2>&1 < /dev/null &
  echo $! > "$pid"
done`,
}

export interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

export class EmptyServer {
  readonly root = mkdtempSync(join(tmpdir(), 'patient-risk-guide-'))
  private readonly env: NodeJS.ProcessEnv
  private readonly words: ReadonlyMap<string, string>
  private readonly blocks: ReadonlyMap<string, string>
  /** Steps that were run here. */
  readonly ran = new Set<string>()

  /** `words` of the page are replaced, such as ports. `folder` has further programs. */
  constructor(words: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}, folder = '') {
    this.words = new Map(Object.entries(words))
    const page = blocksOf(readFileSync(PAGE, 'utf8')).filter(({ apart }) => apart === MARK)
    this.blocks = new Map(page.map(({ step = '', text }) => [step, text]))
    const path = [join(this.root, 'bin'), folder, process.env['PATH']]
    this.env = {
      ...process.env,
      ...env,
      ROOT: this.root,
      HOME: join(this.root, 'home'),
      PATH: path.join(delimiter),
    }
    for (const each of [
      'bin',
      'home',
      'var/backups',
      'etc/systemd/system',
      'etc/cron.d',
      'etc/haproxy',
      'etc/prometheus',
      'etc/ssl',
    ])
      mkdirSync(join(this.root, each), { recursive: true })
    for (const [name, text] of Object.entries(PROGRAMS))
      writeFileSync(join(this.root, 'bin', name), `#!/bin/bash\n${text}\n`, { mode: 0o755 })
    // Also where the tests are interrupted.
    process.once('exit', () => this.remove())
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  }

  /** The names of all steps of the page. */
  get steps(): readonly string[] {
    return [...this.blocks.keys()]
  }

  /** The commands of a step. */
  text(name: string): string {
    const text = this.blocks.get(name)
    if (text === undefined) throw new Error(`${PAGE} has no step ${name}`)
    this.ran.add(name)
    return text
  }

  /** A block of the page, which must succeed. Returns what it prints. */
  step(name: string, change: (text: string) => string = (text) => text): string {
    // In a checkout of the release, as the page says; everything else works anywhere.
    const folder = name === 'install' ? process.cwd() : join(this.root, 'home')
    const { status, out, err } = this.run(change(this.text(name)), folder)
    if (status !== 0)
      throw new Error(`step ${name} of ${PAGE} ended with ${status}\n${out}\n${err}\n${this.logs()}`)
    if (name === 'install') this.rewriteFiles()
    return out
  }

  /** A command as somebody would type it after the steps so far. */
  run(script: string, cwd = join(this.root, 'home')): Ended {
    const state = join(this.root, 'variables')
    const all = `touch ${state}; . ${state}\n${this.here(script)}\ndeclare -p ${VARIABLES} > ${state} 2> /dev/null || true`
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', all], {
      cwd,
      encoding: 'utf8',
      env: this.env,
      timeout: LIMIT_MS,
    })
    return { status, out: stdout, err: stderr }
  }

  /** Ends what was started, and removes all files. */
  remove(): void {
    for (const file of globSync(join(this.root, '*.pid'))) {
      try {
        process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }

  private logs(): string {
    return globSync(join(this.root, '*.log'))
      .map((file) => `${basename(file)}: ${readFileSync(file, 'utf8').slice(-2_000)}`)
      .join('\n')
  }

  /** Text of the page or of a file that it copies, for this root. */
  private here(text: string, meant = /./): string {
    let changed = text.replaceAll(/(?<![\w.])\/(opt|etc|var)\//g, `${this.root}/$1/`)
    for (const [word, other] of [...this.words].filter(([each]) => meant.test(each)))
      changed = changed.replaceAll(new RegExp(`\\b${word}(?!\\d)`, 'g'), other)
    return changed
  }

  private rewriteFiles(): void {
    for (const release of readdirSync(join(this.root, 'opt/patient-risk/releases'))) {
      const ops = join(this.root, 'opt/patient-risk/releases', release, 'ops')
      for (const file of globSync(`${ops}/{systemd,haproxy,prometheus}/*`)) {
        const text = readFileSync(file, 'utf8')
        if (!text.includes(this.root)) writeFileSync(file, this.here(text, /^\d+$/))
      }
    }
  }
}

export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return String(port)
}
