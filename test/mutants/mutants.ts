/**
 * Draws mutants by a seed, and plants all of them into one checkout: a file beside it says which of
 * them are active.
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { mutationsOf, parses, type Mutation } from './mutations.ts'

export interface Mutant extends Mutation {
  number: number
  /** From the root of the project. */
  file: string
  line: number
  /**
   * The text at its place, and what stands before and behind it: they find the place in another
   * commit.
   */
  original: string
  before: string
  behind: string
}

const sources = 'src/{core,db,contract,entrypoints}/**/*.ts'
/** Examples for receivers of webhooks, in their own languages and styles. */
const isExample = (file: string): boolean => file.startsWith('src/contract/reference/receivers/')

/** Characters on each side that have to be the same in another commit. */
const contextLength = 60

/**
 * A file is as likely as it has lines of code; its operators are equally likely, and then the
 * places of the operator.
 */
export function drawMutants(
  root: string,
  { seed, count }: { seed: string; count: number },
): Mutant[] {
  const files = globSync(sources, { cwd: root })
    .filter((file) => !isExample(file))
    .toSorted()
    .map((file) => {
      const source = readFileSync(join(root, file), 'utf8')
      return {
        file,
        source,
        lines: source.split('\n').filter((line) => /^\s*(?!\/?\*|\/\/|import\b)\S/.test(line))
          .length,
      }
    })
  const total = files.reduce((sum, { lines }) => sum + lines, 0)
  const random = randomNumbers(seed)
  const drawn: Mutant[] = []
  while (drawn.length < count) {
    let at = random() * total
    const location = files.find(({ lines }) => (at -= lines) < 0)
    if (!location) continue
    const all = mutationsOf(location.source)
    const operator = pick([...new Set(all.map((item) => item.operator))], random)
    const mutation = pick(
      all.filter((item) => item.operator === operator),
      random,
    )
    if (!mutation) continue
    const mutant = {
      ...mutation,
      ...contextOf(location.source, mutation),
      file: location.file,
      number: drawn.length + 1,
    }
    const others = drawn.filter(({ file }) => file === mutant.file)
    const isNew = others.every(({ start, end }) => start !== mutant.start || end !== mutant.end)
    if (isNew && parses(planted(location.source, [...others, mutant]))) drawn.push(mutant)
  }
  return drawn
}

const pick = <T>(list: T[], random: () => number): T | undefined =>
  list[Math.floor(random() * list.length)]

/** Numbers from 0 to below 1, the same ones for a seed. */
function randomNumbers(seed: string): () => number {
  let index = 0
  return () => createHash('sha256').update(`${seed} ${index++}`).digest().readUIntBE(0, 6) / 2 ** 48
}

const contextOf = (
  source: string,
  { start, end }: Mutation,
): Pick<Mutant, 'line' | 'original' | 'before' | 'behind'> => ({
  line: source.slice(0, start).split('\n').length,
  original: source.slice(start, end),
  before: source.slice(Math.max(0, start - contextLength), start),
  behind: source.slice(end, end + contextLength),
})

/** Those of them that the sources of another commit can have, at their places there. */
export const movedTo = (root: string, mutants: Mutant[]): Mutant[] =>
  mutants.flatMap((mutant) => {
    const around = mutant.before + mutant.original + mutant.behind
    const pieces = sourceOf(root, mutant.file).split(around)
    if (pieces.length !== 2)
      return sourceOf(root, mutant.file).startsWith(around, mutant.start - mutant.before.length)
        ? [mutant]
        : []
    const start = (pieces[0] ?? '').length + mutant.before.length
    return [{ ...mutant, start, end: start + mutant.original.length }]
  })

function sourceOf(root: string, file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return ''
  }
}

/**
 * `active`: the file with the numbers of the active ones. `reached`: the file to which each process
 * adds those whose place it passed.
 */
export function plant(
  root: string,
  mutants: Mutant[],
  { active, reached }: { active: string; reached: string },
): void {
  writeFileSync(
    join(root, 'src', 'planted.ts'),
    `import { appendFileSync, readFileSync } from 'node:fs'
const active = new Set(readFileSync('${active}', 'utf8').split(' ').map(Number))
const reached = new Set()
export function isPlanted(number) {
  if (!reached.has(number)) {
    reached.add(number)
    try { appendFileSync('${reached}', number + '\\n') } catch {}
  }
  return active.has(number)
}
`,
  )
  for (const [file, ours] of Object.entries(Object.groupBy(mutants, (mutant) => mutant.file))) {
    const path = join(root, file)
    const from = relative(dirname(path), join(root, 'src', 'planted.ts'))
    const name = from.startsWith('.') ? from : `./${from}`
    const source = planted(readFileSync(path, 'utf8'), ours ?? [])
    writeFileSync(path, `import { isPlanted as isPlanted$ } from '${name}'; ${source}`)
  }
}

/** The source with all of them. One that is within another stays out of the other's faulty text. */
function planted(source: string, mutants: Mutant[], from = 0, to = source.length): string {
  const [outer] = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end)
  if (!outer) return source.slice(from, to)
  const others = mutants.filter((mutant) => mutant !== outer)
  const inner = others.filter(({ end, start }) => start >= outer.start && end <= outer.end)
  const text = planted(source, inner, outer.start, outer.end)
  const call = `isPlanted$(${outer.number})`
  const forms = {
    entry: ` if (${call}) return;${text}`,
    statement: `{ if (!${call}) ${text} }`,
    expression: `(${call} ? ${outer.text} : ${text})`,
  }
  const rest = others.filter((mutant) => !inner.includes(mutant))
  return source.slice(from, outer.start) + forms[outer.form] + planted(source, rest, outer.end, to)
}
