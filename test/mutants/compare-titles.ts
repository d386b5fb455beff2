/**
 * `node bin/run.mjs test/mutants/compare-titles.ts BEFORE AFTER [RETITLED]` prints where each test
 * of one run is in another run. BEFORE and AFTER have an event of node:test a line. RETITLED has an
 * old title, a tab, and its new title or file. Ends with 1 if a test is nowhere, failed, or is only
 * skipped now.
 */
import { existsSync, readFileSync } from 'node:fs'

interface TestEvent {
  type: string
  file?: string
  name: string
  skip?: boolean | string
}

/** How often a title passed, failed and was skipped in a file. */
interface Test {
  file: string
  title: string
  passed: number
  failed: number
  skipped: number
}

const [beforeFile = '', afterFile = '', retitledFile = ''] = process.argv.slice(2)
const [before, after] = [readTests(beforeFile), readTests(afterFile)]
const retitled = new Map(
  linesOf(retitledFile).map((line): [string, string] => [
    line.split('\t')[0] ?? '',
    line.split('\t')[1] ?? '',
  ]),
)
const afterByTitle = Map.groupBy(after.values(), ({ title }) => title)
const filesAfter = new Set([...after.values()].map(({ file }) => file))

let missing = 0
console.log('file before\ttitle before\tfile after\ttitle or file after\tremark')
for (const test of before.values()) {
  const answer = placeOf(test)
  if (answer.isMissing) missing++
  console.log([test.file, test.title, answer.file, answer.location, answer.remark].join('\t'))
}
console.error(`${before.size} titles before, ${after.size} after, ${missing} without a place`)
process.exitCode = missing > 0 ? 1 : 0

function placeOf(test: Test): {
  file: string
  location: string
  remark: string
  isMissing: boolean
} {
  const same = after.get(keyOf(test))
  if (same && playsOf(same) >= playsOf(test)) return stateOf(test, same)
  const others = (title: string): Test[] =>
    (afterByTitle.get(title) ?? []).filter(
      (other) => !before.has(keyOf(other)) || title !== test.title,
    )
  const moved = others(test.title)[0]
  if (moved) return stateOf(test, moved)
  const next = retitled.get(test.title) ?? ''
  if (filesAfter.has(next)) return { file: next, location: next, remark: '', isMissing: false }
  const renamed = others(next)[0]
  if (renamed) return stateOf(test, renamed)
  const remark = same ? `${playsOf(test)} before, ${playsOf(same)} after` : 'nowhere'
  return { file: same?.file ?? '', location: same?.title ?? '', remark, isMissing: true }
}

function stateOf(test: Test, now: Test): ReturnType<typeof placeOf> {
  const wasPlayed = test.passed + test.failed > 0
  const remark =
    now.passed > 0 ? '' : now.failed > 0 ? 'failed' : wasPlayed ? 'skipped now' : 'skipped in both'
  return {
    file: now.file,
    location: now.title,
    remark,
    isMissing: remark === 'failed' || remark === 'skipped now',
  }
}

function readTests(file: string): Map<string, Test> {
  const tests = new Map<string, Test>()
  for (const line of linesOf(file)) {
    const { type, name, file: path = '', skip } = JSON.parse(line) as TestEvent
    // A file is the test around its own where several share a process.
    if (!/^test:(?:pass|fail)$/.test(type) || name.endsWith('.test.ts')) continue
    const location = {
      file: path.replace(/^.*\/(?=test\/)/, ''),
      title: name.replaceAll(/\s+/g, ' '),
    }
    const test = tests.get(keyOf(location)) ?? { ...location, passed: 0, failed: 0, skipped: 0 }
    const state =
      type === 'test:fail' ? 'failed' : skip !== undefined && skip !== false ? 'skipped' : 'passed'
    tests.set(keyOf(location), { ...test, [state]: test[state] + 1 })
  }
  return tests
}

function keyOf({ file, title }: Pick<Test, 'file' | 'title'>): string {
  return `${file}\t${title}`
}

function playsOf({ passed, failed, skipped }: Test): number {
  return passed + failed + skipped
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
