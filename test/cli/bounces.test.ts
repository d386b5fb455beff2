/** `facteur bounces FOLDER` says how each mail of a folder would be taken, without a database. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { at } from '../support/json.ts'
import { makeApiKeySecret } from '../../src/core/read-key.ts'
import { createOperator, runProgram } from './facteur.ts'

/** No server answers there: the command asks none. */
const operator = createOperator({ DATABASE_URL: 'postgresql://127.0.0.1:1/none' })

const folder = mkdtempSync(join(tmpdir(), 'facteur-bounces-'))
after(() => rmSync(folder, { recursive: true }))

/** A folder of its own with these files. */
function folderOf(name: string, files: Record<string, string | Buffer>): string {
  const path = join(folder, name)
  mkdirSync(join(path, 'cur'), { recursive: true })
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(path, file), bytes)
  return path
}

const caseOf = (name: string): Buffer => readFileSync(new URL(`../cases/${name}`, import.meta.url))
const vacation = 'From: a@b.test\nAuto-Submitted: auto-replied\nSubject: Away\n\nBack on Monday.\n'
const manyParts = `From: a@b.test\nContent-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(501)}`

test('each mail has a line with its class, its code and its reason; the last line counts', async () => {
  const path = folderOf('mails', {
    'cur/1.eml': caseOf('text-bounce-unseen--french.eml'),
    'cur/2.eml': `From MAILER-DAEMON Sat Nov 28 2026\n${caseOf('reason-unread--gmail-full.eml').toString()}`,
    '3': vacation,
    '4': 'From: a@b.test\n\nHello\n',
    '5': 'From: MAILER-DAEMON@mx.test\nSubject: Hello\n\nVotre courrier repose en paix.\n',
    '6': 'From: MAILER-DAEMON@mx.test\nSubject: failure notice\n\n<a@b.test>:\n550 5.1.1 No\x1b[2J such\tuser\n',
  })
  const lines = (await operator.text(['bounces', path])).trimEnd().split('\n')
  assert.deepEqual(lines[0]?.split(/ +/), ['FILE', 'CLASS', 'CODE', 'REASON'])
  const classes = lines.slice(1, 7).map((line) => line.split(/ +/).slice(0, 2))
  assert.deepEqual(classes, [
    ['3', 'automatic'],
    ['4', 'none'],
    ['5', 'unread'],
    ['6', 'hard'],
    ['cur/1.eml', 'hard'],
    ['cur/2.eml', 'soft'],
  ])
  assert.match(lines[3] ?? '', /Votre courrier repose en paix\.$/)
  assert.match(lines[4] ?? '', / 5\.1\.1 +550 5\.1\.1 No.* such user$/)
  assert.equal(lines.join('\n').includes('\x1b'), false, 'a terminal obeys no mail')
  assert.equal(lines.at(-1), '6 mails: 2 hard, 1 automatic, 1 none, 1 unread, 1 soft.')
})

test('npm run bounces -- FOLDER prints the same', async () => {
  const path = folderOf('npm', { '1': vacation })
  const output = await runProgram(['run', '-s', 'bounces', '--', path], {}, null, 'npm')
  assert.deepEqual([output.code, output.stderr], [0, ''])
  assert.equal(output.stdout.toString(), await operator.text(['bounces', path]))
})

test('with --json each mail is an object, its reason whole', async () => {
  const reason = `550 5.1.1 User unknown ${'x'.repeat(300)}`
  const path = folderOf('json', {
    '1.eml': `From: MAILER-DAEMON@mx.test\nSubject: failure notice\n\n<a@b.test>:\n${reason}\n`,
  })
  assert.deepEqual(at(await operator.json(['bounces', path]), 'data'), [
    { file: '1.eml', class: 'hard', code: '5.1.1', reason },
  ])
})

test('a file that cannot be read, and a mail beyond the limits, are unreadable: the others are read', async () => {
  const path = folderOf('unreadable', { '1': vacation, '2': manyParts, '4': vacation })
  symlinkSync('nowhere', join(path, '3'))
  chmodSync(join(path, '4'), 0)
  const data = at(await operator.json(['bounces', path]), 'data')
  assert.ok(Array.isArray(data))
  // Root reads any file.
  const last = process.getuid?.() === 0 ? 'automatic' : 'unreadable'
  assert.deepEqual(
    data.map((mail) => at(mail, 'class')),
    ['automatic', 'unreadable', 'unreadable', last],
  )
  assert.match(String(at(data[1], 'reason')), /parts/)
  assert.equal(at(data[2], 'reason'), 'The file cannot be read (ENOENT).')
})

test('an empty folder says that it has no file', async () => {
  const path = folderOf('empty', {})
  assert.equal(await operator.text(['bounces', path]), `${path} has no file.\n`)
  assert.deepEqual(at(await operator.json(['bounces', path]), 'data'), [])
})

test('a folder that is absent, or is a file, is refused', async () => {
  const path = folderOf('one', { '1': vacation })
  for (const [name, code] of [
    [join(folder, 'absent'), 'ENOENT'],
    [join(path, '1'), 'ENOTDIR'],
  ] as const)
    await operator.refused(['bounces', name], {
      ...{ code: 'refused', exit: 1 },
      message: new RegExp(`The folder ${name} cannot be read \\(${code}\\)\\.`),
    })
})

test('a key that was given where a path belongs is not printed: its beginning tells which it was', async () => {
  const key = makeApiKeySecret(1).key
  const refusal = { code: 'refused', exit: 1, message: new RegExp(`${key.slice(0, 15)}…`) } as const
  await operator.refused(['bounces', key], refusal)
  const output = await operator.run(['bounces', key])
  assert.equal(output.stderr.includes(key.slice(0, 20)), false)
})
