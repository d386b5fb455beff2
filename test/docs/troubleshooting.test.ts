/**
 * The program prints the refusals that `docs/troubleshooting.md` and the other pages quote, and
 * their codes exist.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorKinds } from '../../src/contract/errors.ts'
import { here } from '../support/service.ts'

const page = readFileSync(join(here, 'docs/troubleshooting.md'), 'utf8')
const program = globSync('src/**/*.{ts,json}', { cwd: here })
  .map((path) => readFileSync(join(here, path), 'utf8'))
  .join('\n')

const chapter = (title: string): string =>
  page.slice(page.indexOf(`## ${title}`)).split('\n## ')[0] ?? ''
const firstCells = (text: string): string[] =>
  [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell)

for (const words of firstCells(chapter('It does not start')))
  test(`the program can print "${words}"`, () => {
    // `…` stands for what differs from case to case.
    for (const part of words.split(/\s*…\s*/).filter((text) => text.length > 3)) {
      const pattern = part.replaceAll(/^[": ]+|[": ]+$/g, '')
      assert.ok(program.includes(pattern), pattern)
    }
  })

test('each code of a refused call exists, with its status', () => {
  const codes = [...chapter('A call is refused').matchAll(/^\| (\d{3}) `(\w+)` \|/gm)]
  assert.ok(codes.length >= 7)
  for (const [, status, code = ''] of codes)
    assert.equal(
      Object.entries(errorKinds).find(([name]) => name === code)?.[1].status,
      Number(status),
      code,
    )
})
