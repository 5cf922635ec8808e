/** The results of an export: RiskAssessment and OperationOutcome in lines, and a manifest, which is written last. */
import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Deployment } from '@patient-risk/catalog'
import { packageVersion } from '@patient-risk/runtime'
import { type Json, inside, listOf, textOf } from 'patient-risk-engine/read'
import { UsageError } from '../command.ts'

/** An OperationOutcome has no element for its patient. */
const ABOUT = 'urn:patient-risk:about'
const ABOUT_RUN = 'urn:patient-risk:run'
type ResultType = 'RiskAssessment' | 'OperationOutcome'

interface Run {
  readonly deployment: Deployment
  /** Of the files that say how fields are found in resources. */
  readonly mappingDigest: string
  readonly history: string
  readonly asOf: string
  readonly incomplete: readonly string[]
}

export class ResultFolder {
  private readonly folder: string
  private readonly source: string
  private readonly files = new Map<ResultType, FileHandle>()
  private readonly counts = new Map<ResultType, number>()
  private patients = 0

  private constructor(folder: string, source: string) {
    this.folder = folder
    this.source = source
  }

  /** Throws a UsageError for a folder that has something in it: results of two runs must not mix. */
  static async create(folder: string, source: string): Promise<ResultFolder> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await readdir(folder)).length > 0)
      throw new UsageError(`--output ${folder} has files in it. Give a folder that is new or empty.`)
    return new ResultFolder(folder, source)
  }

  /** The resources of an answer, each in its file, with the patient that it is about. */
  async add(reference: string, answer: Json): Promise<void> {
    const isRefused = answer['resourceType'] !== 'Bundle'
    const entries = isRefused ? [{ resource: answer }] : listOf(answer['entry'])
    const patients = new Set([reference])
    for (const entry of entries) {
      const [link] = listOf(inside(entry, 'link'))
      const about = textOf(inside(link, 'url')) ?? reference
      patients.add(about)
      // The name of an entry follows from patient, model and moment: a second import replaces the first.
      const id = textOf(inside(entry, 'fullUrl'))?.replace('urn:uuid:', '')
      const { resourceType, ...rest } = inside(entry, 'resource') as Json
      const extension = resourceType === 'OperationOutcome' ? aboutPatient(about) : undefined
      await this.write(resourceType as ResultType, { resourceType, id, extension, ...rest })
    }
    this.patients += patients.size
  }

  async finish({
    deployment,
    mappingDigest,
    history,
    asOf,
    incomplete,
  }: Run): Promise<{ readonly scored: number; readonly patients: number }> {
    for (const file of this.files.values()) await file.close()
    const itemOf = (type: ResultType): readonly object[] => {
      const count = this.counts.get(type) ?? 0
      return count === 0 ? [] : [{ type, url: pathToFileURL(resolve(this.pathOf(type))).href, count }]
    }
    const scored = this.counts.get('RiskAssessment') ?? 0
    const { model, digest } = deployment
    const manifest = {
      transactionTime: new Date().toISOString(),
      request: pathToFileURL(resolve(this.source)).href,
      requiresAccessToken: false,
      output: itemOf('RiskAssessment'),
      deleted: [],
      error: itemOf('OperationOutcome'),
      extension: {
        [ABOUT_RUN]: {
          model: model.definition.id,
          modelVersion: model.definition.version,
          deploymentDigest: `sha-256=:${digest}:`,
          mappingDigest,
          service: packageVersion(),
          asOf,
          history,
          incomplete,
          patients: this.patients,
          scored,
        },
      },
    }
    await writeFile(join(this.folder, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
    })
    return { scored, patients: this.patients }
  }

  private pathOf(type: ResultType): string {
    return join(this.folder, `${type}.1.ndjson`)
  }

  private async write(type: ResultType, resource: object): Promise<void> {
    const file = this.files.get(type) ?? (await open(this.pathOf(type), 'wx', 0o600))
    this.files.set(type, file)
    this.counts.set(type, (this.counts.get(type) ?? 0) + 1)
    await file.write(`${JSON.stringify(resource)}\n`)
  }
}

function aboutPatient(reference: string): readonly object[] {
  return [{ url: ABOUT, valueReference: { reference } }]
}
