/**
 * Commands that the documents show: each is one that the command line takes, with its flags and
 * arguments.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../src/entrypoints/cli/commands.ts'
import { parse, readGlobals } from '../../src/entrypoints/cli/parse.ts'
import { here } from '../support/service.ts'

/** The words after `facteur`, as a shell divides them, up to a pipe, a redirection or a comment. */
function commandOf(line: string): string[] | undefined {
  const start = /(?:npm run (?:-s )?facteur --|(?:^|exec facteur )facteur) +/.exec(line)
  if (!start) return undefined
  const rest = line.slice(start.index + start[0].length).replace(/\)$/, '')
  const words = [...rest.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word)
  const end = words.findIndex((word) => ['|', '>', '&&', '#'].includes(word))
  return words
    .slice(0, end === -1 ? words.length : end)
    .map((word) => word.replaceAll(/^(["'])(.*)\1$/g, '$2').replace('$ID', exampleId))
}

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
const pages = globSync(['README.md', 'docs/*.md'], { cwd: here }).filter(
  (path) => path !== 'docs/command-line.md',
)
let shown = 0

for (const path of pages) {
  const blocks = [
    ...readFileSync(join(here, path), 'utf8').matchAll(/^ *```sh\n([^]*?)^ *```$/gm),
  ].map(([, block = '']) => block)
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
  const result = lines
    .map((line) => commandOf(line.trim()))
    .filter((command) => command !== undefined)
  if (result.length === 0) continue
  shown += result.length
  test(`${path}: the command line takes the ${result.length} commands that it shows`, () => {
    for (const command of result) {
      assert.doesNotThrow(() => parse(readGlobals(command), commands), command.join(' '))
    }
  })
}

test('the documents show commands', () => assert.ok(shown > 30, String(shown)))
