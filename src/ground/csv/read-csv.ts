/**
 * Reads separated values (RFC 4180) piece by piece, so that a file of any size is never held whole.
 *
 * As RFC 4180 2 has it, and as files in the wild are: records end at CRLF, LF or CR; a quote within
 * a value that does not begin with one is an ordinary character. The reader reports malformed
 * records with their line, and never guesses.
 */

export interface CsvRecord {
  /** Where it begins, counted from 1. */
  line: number
  /** As it stands in the file, with its line end. */
  text: string
  /** None for an empty line. */
  values: string[]
  /** Something follows a closing quote: the values are not to be trusted. */
  broken: boolean
}

/** Why nothing can be read from a place on. */
export type CsvRule = 'empty' | 'unclosed_quote' | 'record_too_long' | 'not_utf8' | 'utf16'

export class CsvError extends Error {
  override name = 'CsvError'
  readonly rule: CsvRule
  /** Where the trouble begins, counted from 1. */
  readonly line: number

  constructor(rule: CsvRule, line: number) {
    super(`line ${line}: ${rule}`)
    this.rule = rule
    this.line = line
  }
}

/** Longest record, in UTF-16 units, so that an unclosed quote does not swallow the file. */
export const recordMax = 1_000_000

export function createCsvReader(delimiter: string) {
  let text = ''
  let line = 1
  const complete = (ended: boolean): CsvRecord[] => {
    const records: CsvRecord[] = []
    const plainEnd = plainEnds(text)
    let at = 0
    while (at < text.length) {
      const lineFeed = plainEnd(at)
      const record =
        lineFeed === -1
          ? readRecord({ text, at, delimiter, ended })
          : readPlain(text, at, lineFeed, delimiter)
      if (record === null) break
      const whole = text.slice(at, record.end)
      records.push({ line, text: whole, values: record.values, broken: record.broken })
      line += lineFeed === -1 ? linesIn(whole) : 1
      at = record.end
    }
    text = text.slice(at)
    if (ended && text !== '') throw new CsvError('unclosed_quote', line)
    if (text.length > recordMax)
      throw new CsvError(text.includes('"') ? 'unclosed_quote' : 'record_too_long', line)
    return records
  }
  return {
    /** The records that this text completes. Throws `CsvError`. */
    read(piece: string): CsvRecord[] {
      text += piece
      return complete(false)
    },
    /** The last record, once there is no more text. Throws `CsvError`. */
    end: (): CsvRecord[] => complete(true),
  }
}

/**
 * Where the line feed of a record without quotes stands, which nearly every record is; -1 when it
 * must be read letter by letter. Each next quote and carriage return is looked for once, not once a
 * record.
 */
function plainEnds(text: string): (at: number) => number {
  const next = (character: string) => {
    let index = -1
    return (at: number): number => {
      if (index < at) index = text.indexOf(character, at)
      if (index === -1) index = Infinity
      return index
    }
  }
  const [lineFeed, quote, carriageReturn] = [next('\n'), next('"'), next('\r')]
  return (at) => {
    const end = lineFeed(at)
    return end === Infinity || quote(at) < end || carriageReturn(at) < end - 1 ? -1 : end
  }
}

interface ReadRecord {
  values: string[]
  broken: boolean
  /** One past its line end. */
  end: number
}

function readPlain(text: string, at: number, lineFeed: number, delimiter: string): ReadRecord {
  const record = text.slice(
    at,
    text[lineFeed - 1] === '\r' && lineFeed > at ? lineFeed - 1 : lineFeed,
  )
  return { values: record === '' ? [] : record.split(delimiter), broken: false, end: lineFeed + 1 }
}

/** Null when the text ends before the record does. */
function readRecord(source: {
  text: string
  at: number
  delimiter: string
  ended: boolean
}): ReadRecord | null {
  const { text, delimiter, ended } = source
  const values: string[] = []
  let broken = false
  for (let at = source.at; ;) {
    const value = text[at] === '"' ? readQuoted(text, at, ended) : { content: '', end: at }
    if (value === null) return null
    const end = endOfValue(text, value.end, delimiter)
    // More text may bring the rest of the value, or the line feed of a CRLF.
    if (!ended && (end === text.length || (text[end] === '\r' && end + 1 === text.length)))
      return null
    broken ||= text[at] === '"' && end !== value.end
    values.push(value.content + text.slice(value.end, end))
    at = end + 1
    if (text[end] === delimiter) continue
    const isEmpty = values.length === 1 && end === source.at
    return {
      values: isEmpty ? [] : values,
      broken,
      end: Math.min(text.length, text.startsWith('\r\n', end) ? end + 2 : end + 1),
    }
  }
}

/**
 * From its first quote; null when it does not close, or may go on with a second quote that has not
 * come yet.
 */
function readQuoted(
  text: string,
  at: number,
  ended: boolean,
): { content: string; end: number } | null {
  let content = ''
  for (let from = at + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote === -1 || (!ended && quote + 1 === text.length)) return null
    content += text.slice(from, quote)
    if (text[quote + 1] !== '"') return { content, end: quote + 1 }
    content += '"'
    from = quote + 2
  }
}

function endOfValue(text: string, at: number, delimiter: string): number {
  let end = at
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r')
    end++
  return end
}

const linesIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 1

const delimiters = [',', ';', '\t']

/**
 * The one that a line `sep=;` names, as Excel writes it, or else the one of comma, semicolon and
 * tab that the first record has most of, outside quotes; a comma when it has none. Empty lines
 * before it do not count.
 */
export function detectDelimiter(text: string): string {
  const begin = Math.max(0, text.search(/[^\r\n]/))
  const [, named] = /^sep=([^"\r\n])[\r\n]/i.exec(text.slice(begin, begin + 6)) ?? []
  if (named !== undefined) return named
  const header = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text.slice(begin))?.[0] ?? ''
  const bare = header.replaceAll(/"(?:[^"]|"")*"/g, '')
  const counted = delimiters.map((delimiter) => ({
    delimiter,
    count: bare.split(delimiter).length,
  }))
  return counted.reduce((best, item) => (item.count > best.count ? item : best)).delimiter
}

/** Whether the first record only names the delimiter: it is no header. */
export const namesDelimiter = ([first = '', ...others]: string[]): boolean =>
  first.toLowerCase() === 'sep=' && others.length === 1 && others[0] === ''
