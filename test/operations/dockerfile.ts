/**
 * Builds the images of the Dockerfile without Docker: its own COPY and RUN steps, each stage in a folder that stands for its root.
 * Steps that change the system are left out. An instruction that is not known here is an error, so that none is passed over.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { basename, join, matchesGlob, relative, resolve } from 'node:path'

type Instruction = readonly [name: string, rest: string]
type Variables = Readonly<Record<string, string>>

/** Users are made by root only. */
const OF_THE_SYSTEM = 'useradd '
/** What is kept for the start of a container. */
const FOR_THE_START = new Set(['USER', 'VOLUME', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'])

interface Build {
  /** Holds a folder for each stage. */
  readonly folder: string
  /** The folder of the present stage. */
  readonly root: string
  readonly workdir: string
  readonly variables: Variables
  readonly start: ReadonlyMap<string, string>
}

export interface Image extends Pick<Build, 'root' | 'workdir' | 'variables'> {
  /** The words of HEALTHCHECK, ENTRYPOINT or CMD. A program is below the folder of the image, or is the Node of its base. */
  readonly words: (instruction: string) => readonly string[]
}

/**
 * One image for each value of an argument; undefined stands for its default. Steps before the ARG are done once, as Docker's cache
 * does them; their result is copied, and the last image takes it over.
 */
export function buildImages(
  folder: string,
  argument: string,
  values: readonly (string | undefined)[],
  env: NodeJS.ProcessEnv,
): readonly Image[] {
  const steps = instructionsOf(readFileSync('Dockerfile', 'utf8'))
  const at = steps.findIndex(([name, rest]) => name === 'ARG' && rest.startsWith(`${argument}=`))
  if (at < 0) throw new Error(`the Dockerfile has no ARG ${argument} with a default`)
  const byDefault = steps[at]?.[1].slice(argument.length + 1) ?? ''
  const common = join(folder, 'common')
  const empty: Build = { folder: common, root: '', workdir: '', variables: {}, start: new Map() }
  const before = steps.slice(0, at).reduce((build, step) => done(build, step, env), empty)
  return values.map((value = byDefault, place) => {
    const own = join(folder, String(place))
    if (place < values.length - 1) execFileSync('cp', ['-a', common, own])
    else renameSync(common, own)
    const moved = (path: string): string => join(own, relative(common, path))
    const { root, workdir, variables } = before
    const start: Build = {
      ...before,
      folder: own,
      root: moved(root),
      workdir: moved(workdir),
      variables: { ...variables, [argument]: value },
    }
    const build = steps.slice(at + 1).reduce((each, step) => done(each, step, env), start)
    return { ...build, words: (instruction) => wordsOf(build, instruction) }
  })
}

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)])
}

function done(build: Build, [name, rest]: Instruction, env: NodeJS.ProcessEnv): Build {
  const { folder, workdir, variables } = build
  if (name === 'FROM') {
    const root = join(folder, / AS (\w+)$/.exec(rest)?.[1] ?? 'last')
    mkdirSync(root, { recursive: true })
    return { ...build, root, workdir: root, variables: {}, start: new Map() }
  }
  if (FOR_THE_START.has(name)) return { ...build, start: new Map([...build.start, [name, rest]]) }
  if (name === 'WORKDIR') {
    mkdirSync(placeOf(build, rest), { recursive: true })
    return { ...build, workdir: placeOf(build, rest) }
  }
  if (name === 'ENV') {
    const given = rest.split(' ').map((each) => each.split('=') as [string, string])
    return { ...build, variables: { ...variables, ...Object.fromEntries(given) } }
  }
  if (name === 'COPY') copy(build, rest.split(' '))
  else if (name !== 'RUN') throw new Error(`${name} is not known`)
  else if (!rest.startsWith(OF_THE_SYSTEM))
    execFileSync('sh', ['-c', rest], {
      cwd: workdir,
      env: { ...env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return build
}

function placeOf({ root, workdir }: Build, path: string): string {
  return path.startsWith('/') ? join(root, path) : resolve(workdir, path)
}

function copy(build: Build, words: readonly string[]): void {
  const [first = ''] = words
  const stage = /^--from=(\w+)$/.exec(first)?.[1]
  const sources = words.slice(stage === undefined ? 0 : 1, -1)
  const to = placeOf(build, words.at(-1) ?? '')
  if (stage !== undefined) {
    mkdirSync(to, { recursive: true })
    // As hard links: the stage is finished, and nothing writes into its files any more.
    for (const source of sources) execFileSync('cp', ['-al', `${join(build.folder, stage, source)}/.`, to])
    return
  }
  const ignored = readFileSync('.dockerignore', 'utf8').trim().split('\n')
  if (ignored.some((each) => /[?!]|\*\*/.test(each)))
    throw new Error('.dockerignore has a pattern other than *')
  // cpSync asks for a folder before what is in it, so a folder that is ignored is left out whole.
  const filter = (path: string): boolean => !ignored.some((each) => matchesGlob(relative('.', path), each))
  for (const source of sources)
    cpSync(source, source === '.' ? to : join(to, basename(source)), {
      recursive: true,
      verbatimSymlinks: true,
      filter,
    })
}

const placeIn = (root: string, path: string): string => (path.startsWith('/') ? join(root, path) : path)

function wordsOf({ root, start }: Build, instruction: string): readonly string[] {
  const json = /\[.*\]$/.exec(start.get(instruction) ?? '')?.[0] ?? '[]'
  const [program = '', ...args] = JSON.parse(json) as string[]
  // The Node of the base image is of the same line as the one that runs this.
  const words = [program === 'node' ? process.execPath : placeIn(root, program), ...args]
  return program === '' ? [] : words
}
