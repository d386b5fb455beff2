/** Domain names as people type and paste them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTypedDomain } from '../../src/ground/domain-name.ts'

const understood: [string, string][] = [
  ['https://Mail.Shop.example/', 'mail.shop.example'],
  ['  mail.shop.example \n', 'mail.shop.example'],
  ['MAIL.SHOP.EXAMPLE.', 'mail.shop.example'],
  ['http://shop.example:8080/a/b?c=d#e', 'shop.example'],
  ['shop.example?utm=1', 'shop.example'],
  ['Bücher.example.', 'xn--bcher-kva.example'],
  ['https://bücher.example/straße', 'xn--bcher-kva.example'],
]

test('a scheme, a port, a path, spaces and a final dot are left out; letters become small', () => {
  for (const [typed, name] of understood) assert.equal(readTypedDomain(typed), name, typed)
})

test('what is no domain stays refused by the same rule', () => {
  for (const [typed, rule] of [
    ['', 'empty_domain'],
    ['https://', 'empty_domain'],
    ['https://localhost/', 'domain_without_dot'],
    ['https://192.0.2.1/', 'ip_address'],
    ['hello@shop.example', 'domain_character'],
    ['shop..example', 'domain_label'],
    ['shop.example..', 'domain_label'],
    ['a b.example', 'domain_character'],
  ] as const)
    assert.partialDeepStrictEqual(readTypedDomain(typed), { rule }, typed)
})
