/**
 * A Stryker test runner for files of `node:test`. A process for each mutant would take most of a second before its first test, so here
 * every test file runs in the process of the runner, again for each mutant that it covers. To Stryker a test file is one test.
 */
import { globSync, realpathSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InstrumenterContext, StrykerOptions } from '@stryker-mutator/api/core'
import { PluginKind, commonTokens, declareClassPlugin, tokens } from '@stryker-mutator/api/plugin'
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner'
import { collect, runCollected } from './collect.ts'

/** What Stryker's instrumented code shares with a runner. */
type Context = { [Name in keyof InstrumenterContext]: InstrumenterContext[Name] | undefined }

interface Options extends StrykerOptions {
  readonly nodeTest: { readonly files: readonly string[] }
}

const COLLECTOR = new URL('collect.ts', import.meta.url).href
/** Modules by the end of their address, and what tests get in their place. */
const REPLACED: readonly (readonly [string, string])[] = [
  ['/test/mutation/collect.ts', COLLECTOR],
  ['/test/support/serve.ts', new URL('serve.ts', import.meta.url).href],
  [
    // PostgreSQL is left out.
    '/test/support/postgres-server.ts',
    'data:text/javascript,export const useDatabases = () => undefined; export const needsPostgres = () => ({ skip: false })',
  ],
  ['/packages/server/src/store/sqlite/sqlite-store.ts', new URL('sqlite-store.ts', import.meta.url).href],
]
/** After so many killed mutants the test that failed must pass without a mutant: one of them may have left something in a module. */
const CHECK_EVERY = 20

export class NodeTestRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options)
  private readonly options: Options
  private readonly context: Context
  private files: readonly string[] = []
  /** Each number is another copy of a module: of the tests, and of what they test. */
  private run = 0
  private generation = 0
  private isLoaded = false
  private killed = 0
  private strayError: unknown

  constructor(options: StrykerOptions) {
    this.options = options as Options
    const scope = globalThis as { __stryker__?: Context }
    scope.__stryker__ ??= {}
    this.context = scope.__stryker__
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true }
  }

  init(): Promise<void> {
    const here = pathToFileURL(`${resolve('packages')}/`).href
    // Stryker tests a copy. Its node_modules is that of the checkout, so names of packages lead there, and not to the copy.
    const checkout = pathToFileURL(`${dirname(realpathSync('node_modules/patient-risk-engine'))}/`).href
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier === 'node:test') return { url: COLLECTOR, shortCircuit: true }
        const { url: found, ...rest } = next(specifier, context)
        const own = found.startsWith(checkout) ? found.replace(checkout, here) : found
        const url = REPLACED.find(([end]) => own.endsWith(end))?.[1] ?? own
        if (url === COLLECTOR || url.startsWith('data:')) return { ...rest, url }
        // What the tests keep, such as a catalogue that is loaded once, was made by the code under test: it is made again.
        if (/\/test\/[^?]*$/.test(url)) return { ...rest, url: `${url}?run=${this.run}` }
        if (!url.startsWith(here)) return { ...rest, url }
        return { ...rest, url: `${url}?generation=${this.generation}` }
      },
    })
    this.files = this.options.nodeTest.files.flatMap((pattern) => globSync(pattern).sort())
    for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
      process.on(event, (error: unknown) => (this.strayError ??= error))
    }
    return Promise.resolve()
  }

  async dryRun(): Promise<DryRunResult> {
    await this.load()
    const tests: TestResult[] = []
    for (const file of this.files) {
      this.run++
      tests.push(await this.runFile(file))
    }
    const { mutantCoverage } = this.context
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, testFilter, hitLimit, reloadEnvironment } = options
    if (reloadEnvironment) {
      this.generation++
      this.isLoaded = false
    }
    if (mutantActivation === 'runtime') await this.load()
    this.activate(activeMutant.id, hitLimit)
    this.run++
    // The folder packages/server/src/store is mostly tested by packages/server/test/store.
    const folder = /src\/(\w+)/.exec(activeMutant.fileName)?.[1] ?? ''
    const isFar = (file: string): number => (file.startsWith(`test/${folder}/`) ? 0 : 1)
    const tests: TestResult[] = []
    for (const file of this.files.toSorted((a, b) => isFar(a) - isFar(b))) {
      if (testFilter !== undefined && !testFilter.includes(file)) continue
      const result = await this.runFile(file)
      tests.push(result)
      const endless = determineHitLimitReached(this.context.hitCount, this.context.hitLimit)
      if (endless !== undefined) return toMutantRunResult(endless)
      if (result.status !== TestStatus.Failed) continue
      if (mutantActivation === 'runtime' && ++this.killed % CHECK_EVERY === 0) await this.check(file)
      break
    }
    return toMutantRunResult({ status: DryRunStatus.Complete, tests })
  }

  /** Stryker starts another process and tries the mutant again when this throws. */
  private async check(file: string): Promise<void> {
    this.activate(undefined)
    this.run++
    const { status } = await this.runFile(file)
    if (status === TestStatus.Failed) throw new Error(`${file} fails without a mutant`)
  }

  /** A thread that a test starts reads it from the environment. */
  private activate(mutant: string | undefined, hitLimit?: number): void {
    this.context.activeMutant = mutant
    this.context.hitLimit = hitLimit
    this.context.hitCount = hitLimit === undefined ? undefined : 0
    if (mutant === undefined) delete process.env['__STRYKER_ACTIVE_MUTANT__']
    else process.env['__STRYKER_ACTIVE_MUTANT__'] = mutant
  }

  /** Loads what is mutated outside of every test and without a mutant. */
  private async load(): Promise<void> {
    if (this.isLoaded) return
    this.isLoaded = true
    this.activate(undefined)
    const excluded = this.options.mutate.flatMap((each) => (each.startsWith('!') ? [each.slice(1)] : []))
    const included = this.options.mutate.filter((each) => !each.startsWith('!'))
    for (const file of globSync(included, { exclude: excluded })) {
      await import(pathToFileURL(resolve(file)).href)
    }
  }

  private async runFile(file: string): Promise<TestResult> {
    const began = performance.now()
    this.context.currentTestId = file
    this.strayError = undefined
    const collected = collect()
    let error: unknown
    try {
      await import(pathToFileURL(resolve(file)).href)
      error = await runCollected(collected)
    } catch (thrown) {
      error = thrown
    }
    error ??= this.strayError
    this.context.currentTestId = undefined
    const result = { id: file, name: file, fileName: resolve(file), timeSpentMs: performance.now() - began }
    if (error === undefined) return { ...result, status: TestStatus.Success }
    const failureMessage =
      error instanceof Error ? (error.stack ?? error.message) : 'something else than an error was thrown'
    return { ...result, status: TestStatus.Failed, failureMessage }
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'node-test', NodeTestRunner)]
export const strykerValidationSchema = {
  properties: {
    nodeTest: {
      type: 'object',
      required: ['files'],
      properties: { files: { type: 'array', items: { type: 'string' } } },
    },
  },
}
