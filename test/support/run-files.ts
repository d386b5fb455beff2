/**
 * Runs test files by node's own test runner, several at once; prints what each reports, and one
 * summary.
 */
import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { batchesOf } from './batches.ts'
import { reportOf, type TestEvent } from './test-report.ts'

/**
 * Limits of one file and of one process, in milliseconds: they end what hangs and say nothing about
 * speed.
 */
const [FILE_MS, PROCESS_MS] = [10 * 60_000, 25 * 60_000]

/** A process that runs away ends by itself, in place of taking the machine's memory from all. */
const heapMb = 3_072

/**
 * Files of one folder are of a kind: mixed, those that compute run beside those that wait. The same
 * order each time. `node --test` would sort them again.
 */
export function mixed(names: string[]): string[] {
  const positionOf = (name: string): string => createHash('sha1').update(name).digest('hex')
  return names.toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1))
}

/**
 * `patterns`: names of the tests to run; none: all. `atOnce`: processes, by default twice as many
 * as processors, because some wait while others compute. A signal ends the files that run. Ctrl-C
 * reaches them by itself, too.
 */
export async function runFiles(
  files: string[],
  patterns: string[],
  { atOnce = availableParallelism() * 2 }: { atOnce?: number } = {},
): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stopping.abort())
  process.on('disconnect', () => stopping.abort())
  process.channel?.unref()
  const play = (names: readonly string[]): AsyncIterable<TestEvent> =>
    run({
      // A pattern would leave out the test that is a file of a batch, with all that is in it.
      files: patterns.length > 0 ? names.map((file) => resolve(file)) : batchesOf(names, FILE_MS),
      concurrency: atOnce,
      timeout: PROCESS_MS,
      execArgv: [`--max-old-space-size=${heapMb}`],
      testNamePatterns: patterns,
      signal: stopping.signal,
    })
  const report = reportOf(files, play, () => (process.exitCode = 1))
  await pipeline(Readable.from(report), new spec(), process.stdout, {
    end: false,
    signal: stopping.signal,
  }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
    process.exitCode = 1
  })
}
