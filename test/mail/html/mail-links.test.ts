/** The links of a mail, as they are offered beside it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksOfMail } from '../../../src/mail/html/mail-links.ts'

test('links of the web and of mailboxes, each once, with what stands on them; no other scheme is one', () => {
  const html = `
    <a href="https://shop.example/?a=1&amp;b=2">Read <b>on</b></a> <a href='https://shop.example/?a=1&#38;b=2'>again</a>
    <a href="https://shop.example/logo"><img src=x alt="Our shop"></a> <a href=mailto:us@shop.example>us@shop.example</a>
    <a href="java&#10;script:run()">a</a> <a href="data:text/html,x">b</a> <a href="/relative">c</a> <a href="#top">d</a> <a>e</a>
    <!-- <a href="https://hidden.example/">f</a> --> <script>'<a href="https://script.example/">'</script>`
  assert.deepEqual(linksOfMail({ html, text: 'https://text.example/' }), [
    { address: 'https://shop.example/?a=1&b=2', text: 'Read on' },
    { address: 'https://shop.example/logo', text: 'Our shop' },
    { address: 'mailto:us@shop.example', text: 'us@shop.example' },
  ])
})

test('of a mail without html those of its text, without what ends a sentence', () => {
  const text =
    'See https://shop.example/a, (https://shop.example/b) or <https://shop.example/c?d=e>.'
  assert.deepEqual(
    linksOfMail({ html: null, text }).map(({ address }) => address),
    ['https://shop.example/a', 'https://shop.example/b', 'https://shop.example/c?d=e'],
  )
})

test('a hundred are the most, and a mail full of them is read at once', () => {
  const html = Array.from(
    { length: 20_000 },
    (_, index) => `<a href="https://shop.example/${index}">${index}`,
  ).join('')
  assert.equal(linksOfMail({ html, text: null }).length, 100)
})
