/**
 * Documents for reviewers, from what the tool knows of a model: the TRIPOD+AI checklist (Collins and others, BMJ 2024,
 * 385:e078378) and a page on intended use. What the tool cannot know stays open.
 */
import type { ModelDefinition } from '../../definition/model.ts'
import { figureTexts } from './figure-texts.ts'
import { type Texts, fillIn, integer, percent } from './texts.ts'
import type { Report } from './report.ts'
import texts from './texts.json' with { type: 'json' }

export interface ChecklistInput {
  readonly model: ModelDefinition
  readonly report?: Report | undefined
  /** Whether the model's folder has the specification that it was fitted with. */
  readonly hasSpecification: boolean
}

const OPEN = '**open**'
const SPECIFIED = 'As the specification in the model folder says, column by column.'
const MEASURES =
  'c-statistic, Brier score, calibration in the large, slope and curve, thresholds, net benefit.'
const KINDS = { fit: 'Development.', validation: 'Evaluation.', recalibration: 'Updating.' }

export function tripodChecklist(input: ChecklistInput): string {
  const { id, version, title } = input.model
  const known = textsOf(input)
  const fill = (text: string): string => fillIn(text, known, () => OPEN)
  const rows = texts.tripod.map((item) => {
    const end = item.lastIndexOf('|')
    // A part in brackets is left out where something in it is not known; otherwise the whole item is open.
    const asked = item.slice(end + 1).replaceAll(/\[(.*?)\]/g, (_brackets, part: string) => {
      return fill(part).includes(OPEN) ? '' : part
    })
    const text = fill(asked.trim())
    const isOpen = text === '' || text.includes(OPEN)
    return `| ${item.slice(0, end)}| ${isOpen ? OPEN : text.replaceAll('|', '/').replaceAll('\n', ' ')} |`
  })
  const open = rows.filter((row) => row.includes(OPEN)).length
  return `# TRIPOD+AI checklist: ${title} (${id}@${version})

Filled in from the model's card, report and specification. ${open} of ${rows.length} items are open: the tool cannot know them.

| item | section | asks for | reported |
| ---- | ------- | -------- | -------- |
${rows.join('\n')}
`
}

/** What the items name in braces. An item that names something unknown stays open. */
function textsOf({ model, report, hasSpecification }: ChecklistInput): Texts {
  const { card, threshold, terms, inputs, profile } = model
  const { figures, data, split, fit, subgroups = [], differences = [] } = report ?? {}
  const groups = [...new Set(subgroups.map(({ by }) => by))]
  const missing = (data?.missing ?? []).filter(({ share }) => share > 0)
  const { value = 0, from = 0, to = 0 } = figures?.cStatistic ?? {}
  return {
    ...card,
    ...threshold,
    ...report,
    ...(report && figureTexts(report)),
    model,
    limits: card.limits.join(' '),
    next: card.limits.at(-1),
    inputs: Object.keys(inputs).join(', '),
    inputCount: Object.keys(inputs).length,
    terms: terms.map(({ kind, label }) => `${label ?? kind} (${kind})`).join('; '),
    profileRows: profile && integer(profile.rows),
    preparation: hasSpecification ? SPECIFIED : undefined,
    kind: report && KINDS[report.kind],
    measures: report && MEASURES,
    imbalance: report && 'None used; risks are not resampled.',
    read: data && integer(data.read),
    used: data && integer(data.used),
    leftOut: data?.leftOut.map(({ reason, rows }) => `Left out: ${integer(rows)} ${reason}.`).join(' '),
    missing: missing.map(({ input, share }) => ` ${input}: ${percent(share, 1)} missing.`).join(''),
    estimates: fit && fit.coefficients.length - 1,
    between: split?.pooled?.slope.between.toFixed(2),
    groups: groups.length === 0 ? undefined : groups.join(', '),
    differences: differences.length,
    c: figures && `${value.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`,
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

${Object.entries(texts.duties)
  .map(([name, text], index) => `${index + 1}. **${name}.** ${text}`)
  .join('\n')}
`
}
