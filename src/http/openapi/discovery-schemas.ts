/** Schemas of the discovery answers and of the probes. */
import { FLAG, type JsonRecord, NUMBER, OBJECT, TEXT, closed, each, list, mapOf, ref } from './json-schema.ts'

const MODEL = closed(
  {
    ...each(TEXT, 'id', 'version', 'title', 'digest'),
    ...each(FLAG, 'released', 'ready'),
    report: { ...FLAG, description: 'Whether …/model/report has figures of it.' },
    card: OBJECT,
    inputs: list(ref('Field')),
    terms: list(OBJECT),
    ...each(OBJECT, 'link', 'source', 'licence', 'deployment'),
  },
  {
    threshold: OBJECT,
    profile: {
      ...OBJECT,
      description: 'How the inputs were distributed in the data that the model comes from.',
    },
  },
)

export function discoverySchemas(): JsonRecord {
  return {
    Field: closed(
      {
        name: TEXT,
        type: { enum: ['integer', 'number', 'string', 'boolean', 'date'] },
        meaning: TEXT,
        role: {
          enum: ['base', 'input', 'item', 'coding', 'context', 'subtotal', 'total', 'derived', 'date'],
        },
        use: { enum: ['required', 'optional', 'part', 'unused'] },
        models: list(TEXT),
        verified: FLAG,
      },
      {
        values: list({ type: ['number', 'string'] }),
        valueMeanings: mapOf(TEXT),
        minimum: NUMBER,
        step: { ...NUMBER, description: 'Where only multiples of a step are permitted.' },
        modelUnit: {
          ...TEXT,
          description: 'The unit that the model reads, where the deployment receives another one.',
        },
        maximum: NUMBER,
        unit: TEXT,
        otherUnits: {
          ...mapOf(NUMBER),
          description: 'Other units in use, each with how many of it are one of `unit`.',
        },
        ...each(TEXT, 'window', 'includes', 'excludes', 'note', 'scale'),
        whenAbsent: { type: ['number', 'boolean', 'string'] },
        whyAbsent: TEXT,
      },
    ),
    FieldCatalogue: closed({ model: TEXT, fields: list(ref('Field')), scales: list(OBJECT) }),
    Model: { ...MODEL, additionalProperties: true },
    KeySummary: closed({
      key: closed({
        id: TEXT,
        name: TEXT,
        expires: { type: ['string', 'null'], description: 'When it ends, as ISO time.' },
      }),
      admin: { ...FLAG, description: 'Whether the key may use the management calls.' },
      idleLockMinutes: {
        type: 'integer',
        description: 'After how many minutes without activity the page signs out.',
      },
      deployments: list(
        closed(
          {
            ...each(TEXT, 'name', 'basePath', 'title', 'model'),
            output: { enum: ['number', 'yes-no'] },
            ready: FLAG,
          },
          { threshold: NUMBER },
        ),
      ),
    }),
    Live: closed({ status: { const: 'live' } }),
    Ready: closed({
      status: { enum: ['ready', 'not ready'] },
      store: FLAG,
      deployments: list(closed({ name: TEXT, model: TEXT, ready: FLAG })),
    }),
  }
}
