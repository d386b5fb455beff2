/** The regular expressions that stand in sources, and the texts that make each work hardest. */
import { globSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

export interface Pattern {
  /** `src/file.ts:12`. */
  location: string
  source: string
  flags: string
}

/** All literals of a folder's TypeScript files. */
export function patternsIn(folder: string): Pattern[] {
  return globSync(`${folder}/**/*.ts`).flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return literalsOf(parseAst(text, { lang: 'ts' })).map(({ start, regex }) => ({
      location: `${file}:${text.slice(0, start).split('\n').length}`,
      source: regex.pattern,
      flags: regex.flags,
    }))
  })
}

interface RegexLiteral {
  start: number
  regex: { pattern: string; flags: string }
}

function literalsOf(node: unknown): RegexLiteral[] {
  if (typeof node !== 'object' || node === null) return []
  if ('regex' in node && node.regex) return [node as RegexLiteral]
  return Object.values(node).flatMap(literalsOf)
}

/**
 * The characters that a pattern names, one of each class that it names, and the words that it
 * spells.
 */
export function piecesOf(source: string): string[] {
  const pieces = new Set(['x', ' '])
  for (const [escape, letter = ''] of source.matchAll(
    /\\(u\{?[\da-f]+\}?|x[\da-f]{2}|[^])|[^]/gi,
  )) {
    for (const piece of letter === '' ? [escape] : (classes[letter] ?? [spelled(letter)]))
      pieces.add(piece)
  }
  for (const word of plainOf(source).split(/[()[\]{}|?*+^$\0]+/))
    if (word.length > 1) pieces.add(word)
  return [...pieces]
}

const blanks = [' ', '\t', '\n', '\r']
const classes: Record<string, string[]> = {
  ...{ s: blanks, S: ['x'], w: ['a', '0', '_'], W: ['-'], d: ['0'], D: ['x'] },
  ...{ n: ['\n'], r: ['\r'], t: ['\t'], b: [], B: [], p: ['é'], P: ['x'] },
}

const spelled = (letter: string): string => {
  const code = /^[ux]\{?([\da-f]+)/i.exec(letter)?.[1]
  return code === undefined ? letter : String.fromCodePoint(Number.parseInt(code, 16))
}

/** Without classes and groups, and with one character for each escape. */
const plainOf = (source: string): string =>
  source
    .replaceAll(/\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:)/g, '\0')
    .replaceAll(/\\([sSwWdD])/g, (_escape, letter: string) => classes[letter]?.[0] ?? '')
    .replaceAll(/\\(\W)/g, (_escape, sign: string) => (/[()[\]{}|?*+^$]/.test(sign) ? '\0' : sign))
