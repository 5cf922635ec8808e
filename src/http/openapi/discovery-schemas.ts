/** Schemas of the discovery answers and of the probes. */
import { closed } from './answer-schemas.ts'
import type { JsonRecord, JsonValue } from './json.ts'

const STRING: JsonRecord = { type: 'string' }
const STRINGS: JsonRecord = { type: 'array', items: STRING }

export function discoverySchemas(): Readonly<Record<string, JsonValue>> {
  return {
    Field: closed(
      {
        name: STRING,
        type: { enum: ['integer', 'number', 'string', 'boolean', 'date'] },
        meaning: STRING,
        role: {
          enum: ['base', 'input', 'item', 'coding', 'context', 'subtotal', 'total', 'derived', 'date'],
        },
        use: { enum: ['required', 'optional', 'part', 'unused'] },
        models: STRINGS,
        verified: { type: 'boolean' },
      },
      {
        values: { type: 'array', items: { type: ['number', 'string'] } },
        valueMeanings: { type: 'object', additionalProperties: STRING },
        minimum: { type: 'number' },
        step: { type: 'number', description: 'Where only multiples of a step are permitted.' },
        modelUnit: {
          type: 'string',
          description: 'The unit that the model reads, where the deployment receives another one.',
        },
        maximum: { type: 'number' },
        unit: STRING,
        otherUnits: {
          type: 'object',
          additionalProperties: { type: 'number' },
          description: 'Other units in use, each with how many of it are one of `unit`.',
        },
        window: STRING,
        includes: STRING,
        excludes: STRING,
        note: STRING,
        scale: STRING,
        whenAbsent: { type: ['number', 'boolean', 'string'] },
        whyAbsent: STRING,
      },
    ),
    FieldCatalogue: closed({
      model: STRING,
      fields: { type: 'array', items: { $ref: '#/components/schemas/Field' } },
      scales: { type: 'array', items: { type: 'object' } },
    }),
    Model: {
      ...closed(
        {
          id: STRING,
          version: STRING,
          title: STRING,
          digest: STRING,
          released: { type: 'boolean' },
          ready: { type: 'boolean' },
          report: { type: 'boolean', description: 'Whether …/model/report has figures of it.' },
          card: { type: 'object' },
          inputs: { type: 'array', items: { $ref: '#/components/schemas/Field' } },
          terms: { type: 'array', items: { type: 'object' } },
          link: { type: 'object' },
          source: { type: 'object' },
          licence: { type: 'object' },
          deployment: { type: 'object' },
        },
        {
          threshold: { type: 'object' },
          profile: {
            type: 'object',
            description: 'How the inputs were distributed in the data that the model comes from.',
          },
        },
      ),
      additionalProperties: true,
    },
    KeySummary: closed({
      key: closed({
        id: STRING,
        name: STRING,
        expires: { type: ['string', 'null'], description: 'When it ends, as ISO time.' },
      }),
      admin: { type: 'boolean', description: 'Whether the key may use the management calls.' },
      idleLockMinutes: {
        type: 'integer',
        description: 'After how many minutes without activity the page signs out.',
      },
      deployments: {
        type: 'array',
        items: closed(
          {
            name: STRING,
            basePath: STRING,
            title: STRING,
            model: STRING,
            output: { enum: ['number', 'yes-no'] },
            ready: { type: 'boolean' },
          },
          { threshold: { type: 'number' } },
        ),
      },
    }),
    Live: closed({ status: { const: 'live' } }),
    Ready: closed({
      status: { enum: ['ready', 'not ready'] },
      store: { type: 'boolean' },
      deployments: {
        type: 'array',
        items: closed({ name: STRING, model: STRING, ready: { type: 'boolean' } }),
      },
    }),
  }
}
