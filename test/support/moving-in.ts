/**
 * docs/moving-in.md, played: its commands, programs and settings as they stand on the page, for a
 * service on other ports and in a folder of its own.
 */
import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { here, run, type Program, type Scope } from './service.ts'

export interface PlayedPage {
  /** Where its commands run, and its programs and files are. */
  folder: string
  /** The nth block of a chapter in a language, with the ports and addresses of the test. */
  block(chapter: number, language: string, nth?: number): string
  /** Runs commands of the page to their end; answers what they said. */
  play(scope: Scope, commands: string): Promise<string>
  /** Starts commands of the page that go on until the end of the scope. */
  begin(scope: Scope, commands: string): Program
  /** A variable that its commands have set, such as `APP_KEY`. */
  variable(name: string): string
}

/** What one terminal keeps between the page's commands. */
const stored = 'APP_KEY SMTP_KEY NEWS_KEY TEST_KEY RESEND_API_KEY RESEND_BASE_URL WEBHOOK_SECRET'

export function openMovingIn(
  folder: string,
  { env, instead }: { env: Record<string, string>; instead: Record<string, string> },
): PlayedPage {
  const page = readFileSync(join(here, 'docs', 'moving-in.md'), 'utf8')
  const chapters = page.split(/^## (?=\d+\. )/m)
  const state = join(folder, 'terminal.sh')
  writeFileSync(state, '')
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'))
  const adapted = (text: string): string =>
    Object.entries(instead).reduce((done, [from, to]) => done.replaceAll(from, to), text)
  for (const [, program = '', name = ''] of page.matchAll(
    /^```js\n(\/\/ (\w+\.mjs)\n[^]*?)^```$/gm,
  ))
    writeFileSync(join(folder, name), adapted(program))

  const begin = (scope: Scope, commands: string): Program => {
    const facteur = `'${process.execPath}' '${join(here, 'bin', 'facteur.mjs')}'`
    const script = commands.replaceAll('npm run -s facteur --', facteur)
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
    const lines = `set -e\n. '${state}'\n${script}\ndeclare -px ${stored} > '${state}' 2>&- || :`
    return run(scope, 'bash', ['-c', lines], { cwd: folder, env: { ...env, PATH } })
  }
  return {
    folder,
    block(chapter, language, nth = 0) {
      const text = chapters[chapter] ?? ''
      const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))]
      return adapted(blocks[nth]?.[1] ?? assert.fail(`${chapter}: no ${language} ${nth}`))
    },
    async play(scope, commands) {
      const program = begin(scope, commands)
      assert.deepEqual(await program.ended, { code: 0, signal: null }, program.output())
      return program.output()
    },
    begin,
    variable: (name) =>
      new RegExp(`^declare -[-x]+ ${name}="(.*)"$`, 'm').exec(readFileSync(state, 'utf8'))?.[1] ??
      assert.fail(`${name} is not set`),
  }
}
