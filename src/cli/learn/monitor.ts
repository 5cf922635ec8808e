/** `patient-risk learn monitor`: calibration and discrimination month by month, for a scheduled job. */
import {
  type Limited,
  type MonitorReport,
  monitorMonths,
  readRisks,
  scoreMonths,
} from '../../learn/monitor.ts'
import { writeFiles } from '../../learn/model/write-folder.ts'
import { monitorPage } from '../../learn/report/page.ts'
import { type Command, UsageError, readWords } from '../command.ts'
import { textTable } from '../output/text-table.ts'
import { inContext, workOf } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { DATA_OPTIONS, modelNamed, numberWord, required, specificationWords, wholeWord } from './options.ts'

const OUT_OF_CONTROL = 3

export const learnMonitor: Command = {
  help: LEARN_HELP.monitor,
  run(words) {
    const { values } = readWords(words, {
      ...DATA_OPTIONS,
      model: { type: 'string' },
      risk: { type: 'string' },
      month: { type: 'string' },
      baseline: { type: 'string' },
      'expected-c': { type: 'string' },
      report: { type: 'string' },
      json: { type: 'boolean' },
    })
    const expectedC = numberWord('expected-c', values['expected-c'])
    const options = {
      baselineMonths: wholeWord('baseline', values.baseline) ?? 6,
      ...(expectedC === undefined ? {} : { expectedC }),
    }
    const path = required('data', values.data)
    const monthColumn = required('month', values.month)
    const { model: name, risk: riskColumn } = values
    if ((name === undefined) === (riskColumn === undefined))
      throw new UsageError('Give either --risk or --model.')
    return inContext(undefined, async (context) => {
      const model = name === undefined ? undefined : modelNamed(context.catalog, name)
      const { data } = specificationWords(values, model)
      const rows =
        model === undefined
          ? await readRisks({ path, data, riskColumn: riskColumn ?? '', monthColumn })
          : await scoreMonths({ ...workOf(context, path), data }, model.definition, monthColumn)
      context.progress.clear()
      const report = monitorMonths(rows, options)
      process.stdout.write(values.json === true ? `${JSON.stringify(report)}\n` : textOf(report))
      if (values.report !== undefined) {
        const base = values.report.replace(/\.(html|json)$/, '')
        writeFiles({
          [`${base}.json`]: `${JSON.stringify(report, null, 2)}\n`,
          [`${base}.html`]: monitorPage(report),
        })
      }
      return report.alarms.length === 0 ? 0 : OUT_OF_CONTROL
    })
  },
}

const HEAD = ['MONTH', 'ROWS', 'EVENTS', 'PREDICTED', 'OBSERVED', 'IN THE LARGE', 'LIMITS', 'C', 'LIMITS']

function rowsOf({ months }: MonitorReport): readonly (readonly string[])[] {
  const cells = (limited: Limited | undefined): readonly string[] =>
    limited === undefined
      ? ['too few', '']
      : [
          `${figure(limited.value, 3)}${limited.isOut ? ' *' : ''}`,
          `${figure(limited.low, 3)} to ${figure(limited.high, 3)}`,
        ]
  return months.map(({ month, rows, events, meanPredicted, observed, inTheLarge, cStatistic }) => [
    month,
    String(rows),
    String(events),
    figure(meanPredicted, 4),
    figure(observed, 4),
    ...cells(inTheLarge),
    ...cells(cStatistic),
  ])
}

function textOf(report: MonitorReport): string {
  const { alarms } = report
  const verdict = alarms.length === 0 ? 'In control.' : `Out of control:\n  ${alarms.join('\n  ')}`
  return `${textTable(HEAD, rowsOf(report))}${verdict}\n`
}

function figure(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return '–'
  const text = value.toFixed(decimals)
  // What rounds to nothing has no sign.
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}
