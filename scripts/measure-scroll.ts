/**
 * Measures how the page handles a long list: time until it is usable, and the longest task while its rows are scrolled. The number of rows
 * may be given; it is 50,000.
 */
import { openBrowser } from '../test/support/browser/launch.ts'
import { goTo, openPage, signIn } from '../test/support/browser/open-page.ts'
import { serve } from '../test/support/serve.ts'

const ROWS = Number(process.argv[2] ?? 50_000)
const STEPS = 200

const served = await serve()
const browser = await openBrowser()
const { page, close } = await openPage(browser, served.origin)
await page.waitForSelector('#key')
const usableMs = Number(await page.evaluate('performance.getEntriesByType("navigation")[0].domComplete'))
await signIn(page, served.key)
await goTo(page, 'list')
const rows = Array.from({ length: ROWS }, (_row, index) => {
  return `H${index},${60 + (index % 40)},${index % 2 === 0 ? 'F' : 'M'},${index % 5},${index % 3},${1 + (index % 14)}`
})
const buffer = Buffer.from(
  ['patient,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays', ...rows].join('\n'),
)
const startedAt = Date.now()
await page.setInputFiles('input[type=file]', { name: 'list.csv', mimeType: 'text/csv', buffer })
await page.waitForSelector('.match')
const readMs = Date.now() - startedAt
await page.click('button.primary:has-text("Score")')
await page.waitForSelector('.grid', { timeout: 300_000 })
const scoredMs = Date.now() - startedAt - readMs
// Processor time, not elapsed time: the machine may be busy with other work.
const tools = await page.context().newCDPSession(page)
await tools.send('Performance.enable', { timeDomain: 'threadTicks' })
const busyBefore = await busySeconds()
const measured = await page.evaluate<Readonly<Record<string, number>>>(`(async () => {
  const tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' })
  const grid = document.querySelector('.grid')
  const frames = []
  let last = performance.now()
  for (let step = 1; step <= ${STEPS}; step++) {
    // Small steps as a wheel makes them, and every tenth a leap as of a dragged bar.
    grid.scrollTop = step % 10 === 0 ? (grid.scrollHeight * ((step * 37) % ${STEPS})) / ${STEPS} : grid.scrollTop + 120
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const now = performance.now()
    frames.push(now - last)
    last = now
  }
  await new Promise((resolve) => setTimeout(resolve, 200))
  frames.sort((a, b) => a - b)
  return { longTasks: tasks.length, longestTaskMs: Math.max(0, ...tasks), medianFrameMs: frames[${STEPS} / 2], p99FrameMs: frames[Math.floor(${STEPS} * 0.99)], rowsDrawn: document.querySelectorAll('.grid-window .grid-row').length }
})()`)
const busyMsPerStep = ((await busySeconds()) - busyBefore) * (1_000 / STEPS)
process.stdout.write(
  `${JSON.stringify({ rows: ROWS, usableMs, readMs, scoredMs, busyMsPerStep, ...measured }, null, 2)}\n`,
)
await close()
await browser.close()
await served.close()

/** How long the page's own thread has worked so far. */
async function busySeconds(): Promise<number> {
  const { metrics } = await tools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}
