/** A small valid clinical folder, and functions that break it at one place. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The files of the folder by their path inside it. */
export type Files = Record<string, Json>

export const FIELDS = 'fields.json'
export const SCALE = 'scales/grip/grip.json'
export const SCALE_CASES = 'scales/grip/cases.json'
export const CODED = 'scales/pulse/pulse.json'
export const MODEL = 'models/toy/toy.json'
export const MODEL_CASES = 'models/toy/cases.json'

const text = 'Words.'

export function validFiles(): Files {
  return structuredClone({
    [FIELDS]: {
      version: 1,
      inputs: {
        ferritin: { type: 'decimal', from: 0, to: 100, unit: 'µg/L', meaning: text },
        falls: { type: 'integer', from: 0, to: 20, meaning: text },
        home: { type: 'code', values: { own: 'own home', care: 'care home' }, meaning: text },
        dizzy: { type: 'yesNo', meaning: text },
      },
    },
    [SCALE]: {
      id: 'grip',
      version: 1,
      title: 'Grip',
      purpose: text,
      direction: 'higherIsBetter',
      verified: true,
      items: {
        left: { label: 'Left', values: [0, 1, 2], meanings: { '0': 'none' } },
        right: { label: 'Right', values: [0, 1, 2] },
        rest: { label: 'At rest', values: [0, 4] },
      },
      context: { schooling: { label: 'Schooling', values: { short: 'short', long: 'long' } } },
      subtotals: {
        hands: { label: 'Hands', items: ['left', 'right'] },
        whole: { label: 'Rest', items: ['rest'] },
      },
      total: 'sum',
      derived: {
        average: { kind: 'mean', label: 'Average', of: ['left', 'right'], decimals: 1 },
        adjusted: {
          kind: 'shifted',
          label: 'Adjusted',
          of: 'total',
          by: 'schooling',
          points: { short: 1, long: 0 },
          from: 0,
          to: 8,
        },
      },
      bands: [
        {
          scheme: 'Ours',
          verified: true,
          bands: [
            { from: 0, to: 3, label: 'weak' },
            { from: 4, to: 8, label: 'strong' },
          ],
        },
        {
          scheme: 'Average',
          of: 'average',
          verified: true,
          bands: [
            { from: 0, to: 0.9, label: 'weak' },
            { from: 1, to: 2, label: 'strong' },
          ],
        },
      ],
      source: { cite: text },
      licence: { status: text, shipped: text },
    },
    [SCALE_CASES]: [
      { name: 'all', record: { grip_left: 2, grip_right: 2, grip_rest: 4 }, computed: { grip_total: 8 } },
    ],
    [CODED]: {
      id: 'pulse',
      version: 1,
      title: 'Pulse',
      purpose: text,
      direction: 'higherIsWorse',
      verified: true,
      items: { rate: { label: 'Rate', values: [0, 1] }, rhythm: { label: 'Rhythm', values: [0, 1] } },
      codings: {
        default: null,
        forms: { zero: { meaning: text }, one: { meaning: text, shift: 1 } },
      },
      total: 'sum',
      source: { cite: text },
      licence: { status: text, shipped: text },
    },
    'scales/pulse/cases.json': [
      {
        name: 'none',
        record: { pulse_coding: 'one', pulse_rate: 1, pulse_rhythm: 1 },
        computed: { pulse_total: 0 },
      },
    ],
    [MODEL]: {
      id: 'toy',
      version: '1.0.0',
      title: 'Toy',
      card: {
        summary: text,
        intendedUse: text,
        users: text,
        population: text,
        setting: text,
        outcome: text,
        horizonDays: 30,
        missingData: text,
        development: text,
        discrimination: [{ data: text }],
        calibration: text,
        limits: [text],
      },
      scales: { grip: 1 },
      inputs: {
        ferritin: {},
        falls: { to: 10 },
        home: {},
        dizzy: { whenAbsent: false, why: text },
        grip_total: {},
      },
      terms: [
        {
          kind: 'banded',
          field: 'falls',
          bands: [
            { to: 0, points: 0 },
            { from: 1, to: 4, points: 1 },
            { above: 4, points: 2 },
          ],
        },
        {
          kind: 'banded',
          field: 'ferritin',
          bands: [
            { to: 12, points: 1 },
            { above: 12, below: 50, points: 0 },
            { from: 50, points: 1 },
          ],
        },
        { kind: 'category', field: 'home', points: { own: 0, care: 1 } },
        { kind: 'flag', field: 'dizzy', points: 1 },
        {
          kind: 'count',
          below: { grip_total: 4 },
          bands: [
            { from: 0, to: 0, points: 0 },
            { from: 1, points: 1 },
          ],
        },
      ],
      link: {
        kind: 'strata',
        strata: [
          { from: 0, to: 2, risk: 0.1, events: 10, of: 100 },
          { from: 3, to: 6, risk: 0.3 },
        ],
      },
      threshold: { risk: 0.3, score: 3, published: false, note: text, cost: text },
      source: { cite: text },
      licence: { status: text, shipped: text },
    },
    [MODEL_CASES]: [
      {
        name: 'nothing',
        record: { falls: 0, ferritin: 20, home: 'own', dizzy: false, grip_total: 8 },
        score: 0,
        risk: 0.1,
        source: text,
      },
    ],
  })
}

/** Puts a value at a place of a file, or takes the place away when the value is undefined. */
export function change(files: Files, file: string, pointer: string, value: Json | undefined): void {
  const steps = pointer.split('/').slice(1)
  const last = steps.pop()
  if (last === undefined) {
    if (value === undefined) Reflect.deleteProperty(files, file)
    else files[file] = value
    return
  }
  let place = files[file] as Record<string, Json>
  for (const step of steps) place = place[step] as Record<string, Json>
  if (value === undefined) Reflect.deleteProperty(place, last)
  else place[last] = value
}

export function writeFiles(
  root: string,
  files: Files,
  raw: Readonly<Record<string, string | Uint8Array>> = {},
): void {
  const texts = Object.fromEntries(
    Object.entries(files).map(([file, value]) => [file, JSON.stringify(value)]),
  )
  for (const [file, content] of Object.entries({ ...texts, ...raw })) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), content)
  }
}
