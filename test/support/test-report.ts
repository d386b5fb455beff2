/**
 * The events of a test run with one summary: what failed, what was played again, what was skipped
 * and why.
 *
 * A file of `hosts`, `world`, `referees` or of the browser is played again, once, where all its
 * failures are ends of a wait: foreign programs and a browser share the processors with the tests.
 * The first failure stays in the summary, whole.
 */
import { inspect } from 'node:util'

/** What we read of an event of `run()` (node:test). */
export interface TestEvent {
  type: string
  data: {
    name?: string
    nesting?: number
    message?: string
    skip?: string | boolean
    testId?: number
    parentId?: number
    /** The program of the test: its file, or that of several. */
    entryFile?: string
    details?: { error?: { failureType?: string; cause?: unknown } }
  }
}

/**
 * Never those of crashes, moves, upgrades, properties and fuzzing: there, time is part of what is
 * tried.
 */
const foldersPlayedAgain = /^test\/(hosts|world|referees|web)\//

/**
 * Errors of test/support/until.ts and of Playwright. An assertion that fails is a fault, and so is
 * a file that hangs.
 */
const endsOfWaits = new Set(['WaitEnded', 'TimeoutError'])

/**
 * Plays the files by `play`; yields what node's reporters read. Calls `fail` where something failed
 * for good.
 */
export async function* reportOf(
  files: readonly string[],
  play: (files: readonly string[]) => AsyncIterable<TestEvent>,
  fail: () => void,
): AsyncGenerator<TestEvent> {
  const first = new Play()
  yield* first.report(play(files), (file) => foldersPlayedAgain.test(file))
  const again = first.filesOfWaits()
  const second = new Play()
  if (again.length > 0) yield* second.report(play(again), () => false)
  const failedAgain = new Set(second.failures.map(({ file }) => file))
  const withdrawn = first.withheld.filter(
    ({ file }) => again.includes(file) && !failedAgain.has(file),
  )
  yield* first.withheld.filter((failure) => !withdrawn.includes(failure)).map(({ event }) => event)
  if (first.failures.length > withdrawn.length) fail()
  yield* first.summary(withdrawn)
}

interface Failure {
  event: TestEvent
  file: string
}

/** One play of files. */
class Play {
  readonly failures: Failure[] = []
  /** The failures that were not passed on yet. */
  readonly withheld: Failure[] = []
  readonly #tests = new Map<string, TestEvent['data']>()
  readonly #reasons = new Map<string, string[]>()
  readonly #counts = new Map<string, number>()

  /**
   * Passes events on, but for the counts at the end and for failures of files that are `withheld`.
   */
  async *report(
    events: AsyncIterable<TestEvent>,
    isWithheld: (file: string) => boolean,
  ): AsyncGenerator<TestEvent> {
    for await (const event of events) {
      const { type, data } = event
      const [, name, count] = (data.nesting === 0 && countPattern.exec(data.message ?? '')) || []
      if (type === 'test:enqueue') this.#tests.set(keyOf(data, data.testId), data)
      if (type === 'test:pass' && data.skip !== undefined) this.#addReason(data)
      if (type === 'test:diagnostic' && name !== undefined) this.#counts.set(name, Number(count))
      else if (type !== 'test:fail') yield event
      else {
        const failure = { event, file: this.#fileOf(data) }
        this.failures.push(failure)
        if (isWithheld(failure.file)) this.withheld.push(failure)
        yield isWithheld(failure.file) ? toBeSaid(event) : event
      }
    }
  }

  /** Files whose withheld failures are all ends of waits. */
  filesOfWaits(): string[] {
    const files = new Set(this.withheld.map(({ file }) => file))
    for (const { event, file } of this.failures) if (!isEndOfWait(event)) files.delete(file)
    return [...files]
  }

  /**
   * The lines of node's summary, then the first failures of what passed when it was played again,
   * and what was skipped.
   */
  *summary(withdrawn: Failure[]): Generator<TestEvent> {
    const { length } = withdrawn
    for (const [name, count] of this.#counts)
      yield line(
        `${name} ${name === 'pass' ? count + length : name === 'fail' ? count - length : count}`,
      )
    for (const { event, file } of withdrawn)
      yield line(
        `failed first, passed when played again: ${file}: ${event.data.name}\n${inspect(event.data.details?.error)}`,
      )
    for (const [reason, names] of this.#reasons)
      yield line(`skipped: ${names.length === 1 ? names[0] : `${names.length} tests`}: ${reason}`)
  }

  #addReason(data: TestEvent['data']): void {
    const reason =
      typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'without a reason'
    this.#reasons.set(reason, [
      ...(this.#reasons.get(reason) ?? []),
      `${this.#fileOf(data)}: ${data.name}`,
    ])
  }

  /**
   * From the root of the project. In a process of several files, each is the outermost test of its
   * name.
   */
  #fileOf(data: TestEvent['data']): string {
    const parent = this.#tests.get(keyOf(data, data.parentId))
    if (parent !== undefined) return this.#fileOf(parent)
    return data.name?.startsWith('test/') === true
      ? data.name
      : (/(?<=\/)test\/.*/.exec(data.entryFile ?? '')?.[0] ?? '')
  }
}

/** The lines in which node counts, at the end of a run. */
const countPattern = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/

/** Numbers of tests begin with 1 in each process. */
const keyOf = ({ entryFile }: TestEvent['data'], id: number | undefined): string =>
  `${entryFile} ${id}`

/** The failure of a test that only holds failed ones says nothing of its own. */
function isEndOfWait({ data: { details } }: TestEvent): boolean {
  const { failureType, cause } = details?.error ?? {}
  return failureType === 'subtestsFailed' || (cause instanceof Error && endsOfWaits.has(cause.name))
}

/** The place of a failure that is withheld: a reporter closes with it what `test:start` opened. */
const toBeSaid = ({ data }: TestEvent): TestEvent => ({
  type: 'test:pass',
  data: { ...data, skip: 'failed, to be played again or to be told at the end' },
})

const line = (message: string): TestEvent => ({
  type: 'test:diagnostic',
  data: { nesting: 0, message },
})
