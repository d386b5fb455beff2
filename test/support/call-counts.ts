/**
 * How often functions run, counted by the engine itself: a call's cost in steps, at any speed of
 * the machine.
 */
import { Session } from 'node:inspector/promises'

/** Calls of each function during the work, by `file.ts name`; absent when it did not run. */
export async function callCounts(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const counts = new Map<string, number>()
    for (const { url, functions } of result) {
      const file = /src\/.*?([^/]+)$/.exec(url)?.[1]
      if (file === undefined || url.includes('/node_modules/')) continue
      for (const { functionName, ranges } of functions) {
        const name = `${file} ${functionName}`
        const count = (counts.get(name) ?? 0) + (ranges[0]?.count ?? 0)
        if (count > 0) counts.set(name, count)
      }
    }
    return counts
  } finally {
    session.disconnect()
  }
}
