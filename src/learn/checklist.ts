/**
 * Papers for reviewers, from what the tool knows of a model: the TRIPOD+AI checklist (Collins and others, BMJ 2024,
 * 385:e078378) and a page on intended use. What the tool cannot know stays open.
 */
import type { ModelDefinition } from '../definition/model.ts'
import { percent, whole } from './model/texts.ts'
import type { Report } from './report/report.ts'
import papers from './papers.json' with { type: 'json' }

export interface ChecklistInput {
  readonly model: ModelDefinition
  readonly report?: Report | undefined
  /** Whether the model's folder has the specification that it was fitted with. */
  readonly hasSpecification: boolean
}

export function tripodChecklist(input: ChecklistInput): string {
  const { id, version, title } = input.model
  const known = knownTexts(input)
  const rows = papers.tripod.map((item) => {
    const end = item.lastIndexOf('|')
    const text = (known[item.slice(end + 1).trim()] ?? '').replaceAll('|', '/').replaceAll('\n', ' ')
    return `| ${item.slice(0, end)}| ${text === '' ? '**open**' : text} |`
  })
  const open = rows.filter((row) => row.includes('**open**')).length
  return `# TRIPOD+AI checklist: ${title} (${id}@${version})

Filled in from the model's card, report and specification. ${open} of ${rows.length} items are open: the tool cannot know them.

| item | section | asks for | reported |
| ---- | ------- | -------- | -------- |
${rows.join('\n')}
`
}

/** What is known, by the key of an item. */
function knownTexts({
  model,
  report,
  hasSpecification,
}: ChecklistInput): Readonly<Record<string, string | undefined>> {
  const { card, threshold, licence, source, terms, inputs, link, profile } = model
  const { figures, data, split, optimism, recalibration, fit } = report ?? {}
  const { subgroups = [], differences = [] } = report ?? {}
  const flow =
    data &&
    figures &&
    `${whole(data.read)} ${data.noun} read, ${whole(data.used)} used, ${whole(figures.patients)} patients, ${whole(figures.events)} events. ${data.leftOut.map(({ reason, rows }) => `Left out: ${whole(rows)} ${reason}.`).join(' ')}`
  const missing = (data?.missing ?? []).filter(({ share }) => share > 0)
  return {
    title: model.title,
    summary: card.summary,
    source: source.cite,
    purpose: `${card.population} ${card.intendedUse} Users: ${card.users}`,
    kind:
      report && { fit: 'Development.', validation: 'Evaluation.', recalibration: 'Updating.' }[report.kind],
    data: data && `${data.file}. ${card.development}`,
    setting: card.setting,
    population: card.population,
    preparation: hasSpecification
      ? 'As the specification in the model folder says, column by column.'
      : undefined,
    outcome: `${card.outcome} Horizon: ${card.horizonDays} days.`,
    predictors: Object.keys(inputs).join(', '),
    size:
      figures &&
      `${whole(figures.events)} events${fit === undefined ? '' : ` for ${fit.coefficients.length - 1} estimates`}; the calculation (learn plan) must be added.`,
    missing: [
      card.missingData,
      ...missing.map(({ input, share }) => `${input}: ${percent(share, 1)} missing.`),
    ].join(' '),
    split: split && `Validated by ${split.by}, ${split.how}.`,
    terms: terms.map(({ kind, label }) => `${label ?? kind} (${kind})`).join('; '),
    methods:
      fit &&
      `Logistic regression by ${fit.method}.${optimism === undefined ? '' : ` Corrected for optimism by ${optimism.samples} bootstrap samples of patients.`}`,
    clusters: split && `Reported by ${split.by}.`,
    measures:
      report &&
      'c-statistic, Brier score, calibration in the large, slope and curve, thresholds, net benefit.',
    updating:
      recalibration && `From ${recalibration.from}: ${recalibration.method}, by ${recalibration.chosenBy}.`,
    computed: 'By the engine of the service, the same as for requests.',
    imbalance: report && 'None used; risks are not resampled.',
    fairness:
      subgroups.length === 0
        ? undefined
        : `Figures by ${[...new Set(subgroups.map(({ by }) => by))].join(', ')}; ${differences.length} differences with intervals in the report. How they were judged must be added.`,
    output: `A risk from 0.0001 to 0.9999, by a ${link.kind} link.${threshold === undefined ? '' : ` Threshold ${threshold.risk}: ${threshold.note} ${threshold.cost}`}`,
    licence: licence.status,
    code: 'The engine and patient-risk learn are part of this project.',
    flow,
    profile: profile && `Development profile of each input in the model file (${whole(profile.rows)} rows).`,
    specification: `${model.id}.json: every coefficient, the link and ${Object.keys(inputs).length} inputs, with cases.`,
    performance:
      figures &&
      `c-statistic ${figures.cStatistic.value.toFixed(3)} (${figures.cStatistic.from.toFixed(3)} to ${figures.cStatistic.to.toFixed(3)}); ${card.calibration}`,
    heterogeneity:
      split?.pooled && `Slope varies by ± ${split.pooled.slope.between.toFixed(2)} between parts.`,
    limits: card.limits.join(' '),
    users: card.users,
    next: card.limits.at(-1),
  }
}

export function intendedUsePage({ model, report }: ChecklistInput): string {
  const { card, id, version, title } = model
  const evidence = card.discrimination.map(
    ({ data, cStatistic, calibration }) =>
      `- ${data}${cStatistic === undefined ? '' : `: c-statistic ${cStatistic}`}${calibration === undefined ? '' : `. ${calibration}`}`,
  )
  return `# Intended use: ${title} (${id}@${version})

${card.summary}

- **Use:** ${card.intendedUse}
- **Users:** ${card.users}
- **Patients:** ${card.population}
- **Setting:** ${card.setting}
- **Outcome:** ${card.outcome} (${card.horizonDays} days)

## Evidence

${evidence.join('\n')}

${(report?.warnings ?? []).map((text) => `> ${text}\n`).join('\n')}
## Limits

${card.limits.map((text) => `- ${text}`).join('\n')}

## What you must still do before clinical use

This software computes a number. It has not been approved as a medical device, and nothing below is done for you.

${Object.entries(papers.duties)
  .map(([name, text], index) => `${index + 1}. **${name}.** ${text}`)
  .join('\n')}
`
}
