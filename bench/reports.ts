/**
 * `npm run bench -- reports`: how long reading takes of 1,000 DMARC reports of real shape, and of
 * each report that is refused. The promise is that no refusal takes 100 ms of the thread's time.
 */
import { readDmarcMail } from '../src/mail/reports/attached-report.ts'
import { hostileReports } from '../test/support/hostile-reports.ts'
import { receiverMail, shapeOf } from '../test/support/report-mails.ts'

const limitMs = 100

const mails = Array.from({ length: 1_000 }, (_, n) => shapeOf(n)).map(({ receiver, shape }) =>
  receiverMail(receiver, shape),
)
const beganMs = performance.now()
for (const mail of mails) await readDmarcMail(mail, 0)
const allMs = performance.now() - beganMs

/** Milliseconds that this thread computed: others may have the processor meanwhile. */
async function refusalMs(mail: Buffer): Promise<number> {
  const began = process.threadCpuUsage()
  const refused = await readDmarcMail(mail, 0).then(
    () => false,
    () => true,
  )
  const { user, system } = process.threadCpuUsage(began)
  if (!refused) throw new Error('A hostile report was read')
  return (user + system) / 1_000
}

const slowest: { name: string; ms: number }[] = []
for (const [name, make] of Object.entries(hostileReports)) {
  const mail = make()
  const tries = [await refusalMs(mail), await refusalMs(mail), await refusalMs(mail)]
  slowest.push({ name, ms: tries.toSorted((a, b) => a - b)[1] ?? 0 })
}
slowest.sort((a, b) => b.ms - a.ms)
console.log(
  `1,000 reports of ${mails.reduce((sum, { length }) => sum + length, 0)} bytes: ${allMs.toFixed(0)} ms, ${(allMs / 1_000).toFixed(2)} ms each`,
)
console.log(`${slowest.length} hostile reports, the slowest:`)
for (const { name, ms } of slowest.slice(0, 12))
  console.log(`  ${ms.toFixed(1).padStart(6)} ms  ${name}`)
if ((slowest[0]?.ms ?? 0) > limitMs) process.exitCode = 1
