/** What a frame of ours shows of a mail: nothing that would run, lead elsewhere, or ask somebody; and all the rest. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameHtml, quietHtml } from '../../src/mail/quiet-html.ts'

const elsewhere = 'https://elsewhere.example/x.png'
const quiet = (body: string, pictures = false): string => /<body>([\s\S]*)<\/body>/.exec(quietHtml(body, { pictures }))?.[1] ?? ''

const taken: [what: string, given: string][] = [
  ['a script', '<script>run()</script>'],
  ['a frame', '<iframe src="javascript:run()"></iframe>'],
  ['a picture in a vector image', '<svg onload="run()"><image href="https://elsewhere.example/x.png"/></svg>'],
  ['a style sheet of others', '<link rel="stylesheet" href="https://elsewhere.example/x.css">'],
  ['a refresh', '<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">'],
  ['an object', '<object data="https://elsewhere.example/x"></object>'],
]
for (const [what, given] of taken) test(`${what} is left out`, () => assert.equal(quiet(`<p>a</p>${given}`), '<p>a</p>'))

test('handlers, addresses that run and what fetches at once are no attributes any more', () => {
  assert.equal(quiet('<p onclick="run()" ONLOAD=run()>a</p>'), '<p>a</p>')
  assert.equal(quiet('<a href=" java\nscript:run()">a</a>'), '<a>a</a>')
  assert.equal(quiet(`<img src="${elsewhere}" srcset="${elsewhere} 2x" alt="a">`), '<img alt="a">')
  assert.equal(quiet(`<td background="${elsewhere}">a</td><video poster="${elsewhere}"></video>`), 'a')
  assert.equal(quiet('<form action="https://elsewhere.example/"><input formaction="x"></form>'), '<form><input></form>')
})

test('styles keep what is theirs and ask nobody', () => {
  assert.equal(
    quiet(`<p style="color: red; background: url('${elsewhere}')">a</p>`),
    '<p style="color: red; background: none">a</p>',
  )
  assert.equal(
    quiet(
      `<style>@import "${elsewhere}"; @font-face { src: url(${elsewhere}) } p { background: URL(${elsewhere}); color: red }</style>`,
    ).includes('elsewhere'),
    false,
  )
})

test('pictures from elsewhere are there for who asks for them; nothing else is', () => {
  assert.equal(quiet(`<img src="${elsewhere}"><script src="${elsewhere}"></script>`, true), `<img src="${elsewhere}">`)
  assert.equal(quiet(`<p style="background: url(${elsewhere})">a</p>`, true), `<p style="background: url(${elsewhere})">a</p>`)
})

test("the mail's own pictures are in their places, and one that it does not bring leaves its place empty", () => {
  const image = { id: '<a@b>', type: 'image/png', content: Buffer.from('png') }
  const shown = frameHtml('<img src="cid:a@b"><img src="cid:other" alt="o">', [image], { pictures: false })
  assert.ok(shown.includes('<img src="data:image/png;base64,cG5n"><img alt="o">'), shown)
})

test('what would be too much to take apart is shown as it is, by the policy of the frame alone', () => {
  for (const much of ['<b>'.repeat(5_000), '<i></i>'.repeat(60_000)]) assert.ok(quietHtml(much, { pictures: false }) === much)
})
