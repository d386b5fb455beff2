/** Which digits of a mail are the code to type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneTimeCode } from '../../../src/mail/content/one-time-code.ts'

const cases: [text: string, code: string | null][] = [
  ['Your code is 482913.', '482913'],
  ['482913', '482913'],
  ['G-482913 is your code', '482913'],
  ['Your code: 482913\n\nYour code: 482913', '482913'],
  ['Order 10042. Your code is 482913. © 2026 Acme', '482913'],
  ['482913 is your code for order 10042', '482913'],
  ['© 2026. 10042 is an order, and 482913 the CODE.', '482913'],
  ['Votre code : 4829', '4829'],
  ['10042 and 482913', null],
  ['No code here', null],
  ['', null],
  ['code 123, 123456789, a1234, 1234b, 12_3456', null],
  ['code on 2026-11-29 at 12:3456, 29/11/2026, €1500, 1,234.5678, +49151234', null],
  ['https://shop.example/c/482913?code=123456', null],
  ['See https://shop.example/c/111111 or type 482913', '482913'],
  ['user1234@example.com, 1234@example.com', null],
]

for (const [text, code] of cases)
  test(`${JSON.stringify(text).slice(0, 60)}: ${code}`, () => assert.equal(oneTimeCode(text), code))

test('long texts take time in proportion', () => {
  assert.equal(oneTimeCode('code 1234 '.repeat(50_000)), '1234')
  assert.equal(oneTimeCode('code 1234 5678 '.repeat(30_000)), '1234')
})
