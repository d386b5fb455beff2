/**
 * The reader of separated values: equal to Python's for any text and any cutting, and clear about
 * what it cannot read.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { inspectCsv } from '../../../src/ground/csv/inspect-csv.ts'
import {
  CsvError,
  createCsvReader,
  detectDelimiter,
  recordMax,
  type CsvRecord,
} from '../../../src/ground/csv/read-csv.ts'
import { csvLine, guardedLine, unguarded } from '../../../src/ground/csv/write-csv.ts'

/** Everything that means something, and little else. */
const letters = fc.constantFrom(
  'a',
  'é',
  '💌',
  ' ',
  '"',
  '""',
  ',',
  ';',
  '\t',
  '\n',
  '\r',
  '\r\n',
  "'",
  '=',
)
const texts = fc.array(letters, { maxLength: 40 }).map((some) => some.join(''))
const delimiters = fc.constantFrom(',', ';', '\t')

/** Read in pieces cut at these places. */
function readAll(text: string, delimiter: string, cuts: number[]): CsvRecord[] {
  const reader = createCsvReader(delimiter)
  const places = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].toSorted(
    (a, b) => a - b,
  )
  const records = places
    .slice(1)
    .flatMap((position, index) => reader.read(text.slice(places[index], position)))
  return [...records, ...reader.end()]
}

/** Null where the text is refused: a quote never closes, or something follows one that does. */
function cellsOf(text: string, delimiter: string, cuts: number[]): string[][] | null {
  try {
    const records = readAll(text, delimiter, cuts)
    return records.some(({ broken }) => broken) ? null : records.map(({ values }) => values)
  } catch (error) {
    assert.ok(error instanceof CsvError)
    return null
  }
}

test('any text, cut anywhere, is read as Python reads it, or refused where Python refuses it', (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('no python3 on the PATH')
  const samples = fc.sample(
    fc.tuple(delimiters, texts, fc.array(fc.nat(), { maxLength: 4 })),
    5_000,
  )
  const input = JSON.stringify(samples.map(([delimiter, text]) => [delimiter, text]))
  const python = spawnSync('python3', [`${import.meta.dirname}/read-csv.py`], {
    input,
    maxBuffer: 1e9,
    encoding: 'utf8',
  })
  assert.equal(python.status, 0, python.stderr)
  const reference: unknown = JSON.parse(python.stdout)
  assert.ok(Array.isArray(reference) && reference.length === samples.length)
  let refused = 0
  samples.forEach(([delimiter, text, cuts], index) => {
    const ours = cellsOf(text, delimiter, cuts)
    assert.deepEqual(ours, reference[index], JSON.stringify({ delimiter, text, cuts }))
    if (ours === null) refused++
  })
  assert.ok(refused > 100 && refused < 4_900, `${refused} were refused: the samples show little`)
})

test('each record knows its line, however many lines the ones before took', () => {
  const records = readAll('a,b\r\n"x\ny","z\r\nw"\n\nlast,one', ',', [])
  assert.deepEqual(
    records.map(({ line, values }) => [line, values.length]),
    [
      [1, 2],
      [2, 2],
      [5, 0],
      [6, 2],
    ],
  )
})

test('a cell that a spreadsheet would carry out is guarded, and comes back as it was', () => {
  assert.equal(
    csvLine(['=1+1', '+33', '-2', '@x', 'a=b', '"', 'x,y']),
    `'=1+1,'+33,'-2,'@x,a=b,"""","x,y"\r\n`,
  )
  fc.assert(
    fc.property(fc.array(texts, { minLength: 2, maxLength: 4 }), (values) => {
      // An apostrophe before such a sign is what the guard looks like: the one ambiguity it cannot
      // resolve.
      fc.pre(!values.some((cell) => /^'[=+\-@\t\r]/.test(cell)))
      assert.deepEqual(
        readAll(csvLine(values), ',', []).map((record) => record.values.map(unguarded)),
        [values],
      )
    }),
  )
})

test("a line of another's file is guarded cell by cell: its cells come back as they were, and nothing else changes", () => {
  assert.equal(guardedLine('"=1+1";+33;"a;=b";c=d', ';'), `"'=1+1";'+33;"a;=b";c=d`)
  assert.equal(guardedLine('a;=1+1,b', ','), '"a;=1+1",b')
  fc.assert(
    fc.property(delimiters, texts, (delimiter, text) => {
      const [record] = cellsOf(text, delimiter, []) ?? []
      const line = record && readAll(text, delimiter, [])[0]?.text.replace(/(?:\r\n|\r|\n)$/, '')
      fc.pre(record !== undefined && line !== undefined && record.length > 0)
      fc.pre(!record.some((cell) => /^'[=+\-@\t\r]/.test(cell)))
      const [guarded = []] = cellsOf(guardedLine(line, delimiter), delimiter, []) ?? []
      assert.deepEqual(guarded.map(unguarded), record)
      assert.deepEqual(
        guarded.filter((cell) => /^[=+\-@\t\r]/.test(cell)),
        [],
      )
    }),
  )
})

test('the first line decides between comma, semicolon and tab, quotes aside', () => {
  assert.equal(detectDelimiter('email;name\na,b,c,d'), ';')
  assert.equal(detectDelimiter('email\tname'), '\t')
  assert.equal(detectDelimiter('"a;b;c;d",email'), ',')
  assert.equal(detectDelimiter('email\r\na;b'), ',')
})

test('a refusal names the line that is not UTF-8, wherever the pieces are cut', async () => {
  const good = Buffer.from('email,name\nada@example.com,Zoé\n')
  const bad = Buffer.concat([good, good, Buffer.from('eve@example.com,Zo\xe9\n', 'latin1'), good])
  for (const size of [1, 2, 7, 1000]) {
    assert.deepEqual((await inspectCsv(pieces(good, size))).bytes, good.length)
    await assert.rejects(inspectCsv(pieces(bad, size)), {
      name: 'CsvError',
      rule: 'not_utf8',
      line: 5,
    })
  }
  await assert.rejects(inspectCsv(pieces(Buffer.from('\ufeffemail', 'utf16le'), 1000)), {
    rule: 'utf16',
  })
})

test('a quote that never closes does not swallow a file, and the refusal names the line where it opens', () => {
  const reader = createCsvReader(',')
  assert.equal(reader.read('email\nada@example.com\n"eve').length, 2)
  assert.throws(
    () => {
      for (let length = 0; length <= recordMax; length += 100_000)
        reader.read('x,y\n'.repeat(25_000))
    },
    { name: 'CsvError', rule: 'unclosed_quote', line: 3 },
  )
})

const pieces = (bytes: Buffer, size: number) =>
  async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
