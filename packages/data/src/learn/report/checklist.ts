/**
 * Documents for reviewers, from what the tool knows of a model: the TRIPOD+AI checklist (Collins and others, BMJ 2024,
 * 385:e078378) and a page on intended use. What the tool cannot know stays open.
 */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import type { Estimate } from '@patient-risk/statistics'
import { figureTexts } from './figure-texts.ts'
import { type Texts, fillIn, integer, percent, signed } from './texts.ts'
import type { Report } from './report.ts'
import texts from './texts.json' with { type: 'json' }

export interface ChecklistInput {
  readonly model: ModelDefinition
  readonly report?: Report | undefined
  /** Whether the model's folder has the specification that it was fitted with. */
  readonly hasSpecification: boolean
}

const OPEN = '**open**'
const SPECIFIED =
  'As the specification in the model folder says, column by column, with the checks of the service; the same for every row.'
const KINDS = {
  fit: { kind: 'Development', use: 'All rows for development.' },
  validation: { kind: 'Evaluation', use: 'All rows for evaluation.' },
  recalibration: { kind: 'Updating', use: 'All rows for the update and its evaluation.' },
}

export function tripodChecklist(input: ChecklistInput): string {
  const { id, version, title } = input.model
  const known = textsOf(input)
  const fill = (text: string): string => fillIn(text, known, () => OPEN)
  const rows = texts.tripod.map((item) => {
    const [number, section, asks, reported = '', lacking = ''] = item.split('|').map((cell) => cell.trim())
    // A part in brackets is left out where something in it is not known; otherwise nothing is reported.
    const given = reported.replaceAll(/\[(.*?)\]/g, (_brackets, part: string) => {
      return fill(part).includes(OPEN) ? '' : part
    })
    const text = fill(given).includes(OPEN)
      ? ''
      : fill(given).replaceAll('|', '/').replaceAll(/\s+/g, ' ').trim()
    // What an item asks for and nothing here can answer keeps it open, whatever else is known.
    const withoutText = text === '' ? OPEN : ''
    const open = lacking === '' ? withoutText : `${OPEN}: ${lacking}`
    return `| ${number} | ${section} | ${asks} | ${[text, open].filter((part) => part !== '').join(' ')} |`
  })
  const open = rows.filter((row) => row.includes(OPEN)).length
  return `# TRIPOD+AI checklist: ${title} (${id}@${version})

Filled in from the model's card, report and specification. ${open} of ${rows.length} items are open, wholly or in part: the tool cannot know them.

| item | section | asks for | reported |
| ---- | ------- | -------- | -------- |
${rows.join('\n')}
`
}

/** What the items name in braces. What names something unknown is not reported. */
function textsOf({ model, report, hasSpecification }: ChecklistInput): Texts {
  const { card, threshold, terms, inputs, profile } = model
  return {
    ...card,
    ...(report && reportTexts(report)),
    model,
    limits: card.limits.join(' '),
    inputs: Object.keys(inputs).join(', '),
    inputCount: Object.keys(inputs).length,
    terms: terms.map(({ kind, label }) => `${label ?? kind} (${kind})`).join('; '),
    threshold: threshold
      ? `Threshold ${threshold.risk}: ${threshold.note} ${threshold.cost}`
      : 'No threshold.',
    profileRows: profile && integer(profile.rows),
    preparation: hasSpecification ? SPECIFIED : undefined,
  }
}

function reportTexts(report: Report): Texts {
  const { figures, data, split, fit, recalibration, subgroups, differences } = report
  const { cStatistic, calibration } = figures
  const missing = data.missing.filter(({ share }) => share > 0)
  const leftOut = data.leftOut.map(({ reason, rows }) => `Left out: ${integer(rows)} ${reason}.`)
  const groups = [...new Set(subgroups.map(({ by }) => by))]
  const update =
    recalibration && `From ${recalibration.from}: ${recalibration.method}, by ${recalibration.chosenBy}.`
  return {
    ...report,
    ...figureTexts(report),
    ...KINDS[report.kind],
    read: integer(data.read),
    used: integer(data.used),
    others: integer(figures.rows - figures.events),
    leftOut: leftOut.join(' ') || 'No row was left out.',
    missing:
      missing.map(({ input, share }) => `${input}: ${percent(share, 1)} missing.`).join(' ') ||
      'No input was missing.',
    estimates: fit && fit.coefficients.length - 1,
    between: split?.pooled?.slope.between.toFixed(2),
    groups: groups.join(', ') || undefined,
    differences: differences.length,
    performance: `c-statistic ${span(cStatistic)}, calibration in the large ${span(calibration.inTheLarge)}, slope ${span(calibration.slope)}`,
    update: update ?? 'None: the model was not updated.',
  }
}

function span({ value, from, to }: Estimate): string {
  return `${signed(value, 3)} (${signed(from, 3)} to ${signed(to, 3)})`
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
