/**
 * How fast the first reading of an import is, which finds who left and what must be asked before a
 * line is stored: lines a second of a file of a million. The yardstick is merely parsing the same
 * bytes as CSV, by the same reader. Runs alternate, each in a process of its own, whose largest
 * resident memory is looked at too: for a million lines and for a tenth of them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commandFlags } from '../bin/flags.mjs'
import { readColumns } from '../src/core/audience/imports/columns/import-columns.ts'
import { statusMeanings } from '../src/core/audience/imports/columns/read-status.ts'
import { surveyFile } from '../src/core/audience/imports/columns/survey-file.ts'
import { readCsvRecords } from '../src/ground/csv/read-file.ts'
import { writeContacts } from './import/contacts.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    lines: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    // What the process of one run gets.
    run: { type: 'string' },
    file: { type: 'string', default: '' },
  },
})

interface Run {
  seconds: number
  memoryMib: number
}

if (values.run === undefined) await compare()
else await read(values.run, values.file)

/** One run, in a process of its own. */
async function read(way: string, path: string): Promise<void> {
  const open = () => createReadStream(path, { highWaterMark: 64 * 1024 })
  const began = performance.now()
  if (way === 'parse') for await (const _piece of readCsvRecords(open));
  else
    await surveyFile({
      ...{
        open,
        meanings: statusMeanings([]),
        signal: new AbortController().signal,
        onProgress: () => undefined,
      },
      columnsOf: (headers) => readColumns(headers, []),
    })
  const run: Run = {
    seconds: (performance.now() - began) / 1000,
    memoryMib: Math.round(process.resourceUsage().maxRSS / 1024),
  }
  process.stdout.write(JSON.stringify(run))
}

async function compare(): Promise<void> {
  const say = (line: string): void => (values.json ? console.error(line) : console.log(line))
  const folder = mkdtempSync(join(tmpdir(), 'facteur-bench-'))
  const lines = Number(values.lines)
  const [whole, tenth] = [join(folder, 'whole.csv'), join(folder, 'tenth.csv')]
  await writeContacts(whole, lines, { leavers: true })
  await writeContacts(tenth, lines / 10, { leavers: true })
  const pairs: { parse: Run; first: Run }[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const pair = { parse: await runOf('parse', whole), first: await runOf('first', whole) }
    pairs.push(pair)
    say(
      `first reading ${perSecond(pair.first)}/s, parsing alone ${perSecond(pair.parse)}/s, ratio ${(pair.parse.seconds / pair.first.seconds).toFixed(2)}`,
    )
  }
  const small = await runOf('first', tenth)
  rmSync(folder, { recursive: true })
  const ratio = Number(
    median(pairs.map(({ parse, first }) => parse.seconds / first.seconds)).toFixed(2),
  )
  const figures = {
    lines,
    first_reading_per_second: median(pairs.map(({ first }) => perSecond(first))),
    parsing_per_second: median(pairs.map(({ parse }) => perSecond(parse))),
    memory_mib: {
      [lines]: median(pairs.map(({ first }) => first.memoryMib)),
      [lines / 10]: small.memoryMib,
    },
  }
  say(`ratio ${ratio}; ${JSON.stringify(figures.memory_mib)} MiB at most, by lines`)
  if (values.json) console.log(JSON.stringify({ bench: 'first-reading', ratio, figures }))

  function perSecond({ seconds }: Run): number {
    return Math.round(lines / seconds)
  }
}

async function runOf(way: string, file: string): Promise<Run> {
  const child = spawn(
    process.execPath,
    [...commandFlags, import.meta.filename, '--run', way, '--file', file],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The run ended with ${code}`)
  return JSON.parse(output) as Run
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
