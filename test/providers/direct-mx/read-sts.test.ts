/** The texts of MTA-STS (RFC 8461), as domains write them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesSts, readStsId, readStsPolicy } from '../../../src/providers/direct-mx/read-sts.ts'

for (const [texts, id] of [
  [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
  [['v=STSv1;id=1'], '1'],
  [['v=STSv1; other=x; id=abc; more=y;'], 'abc'],
  [['v=spf1 -all', 'v=STSv1; id=2;'], '2'],
  [['v=STSv1; id=1;', 'v=STSv1; id=2;'], null],
  [['v=STSv2; id=1;'], null],
  [['v=STSv1; id=a-b;'], null],
  [[`v=STSv1; id=${'a'.repeat(33)};`], null],
  [[], null],
] as [string[], string | null][]) {
  test(`TXT ${JSON.stringify(texts)}: ${id}`, () => assert.equal(readStsId(texts), id))
}

const whole =
  'version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmx: *.Example.net.\r\nmax_age: 604800\r\n'
for (const [title, text, policy] of [
  [
    'as in the RFC',
    whole,
    { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAgeSeconds: 604_800 },
  ],
  [
    'LF, spaces, unknown keys',
    'version:STSv1\nmode :  testing \nx-y: z\nmx: a.b\nmax_age: 1',
    { mode: 'testing', mx: ['a.b'], maxAgeSeconds: 1 },
  ],
  [
    'none needs no host',
    'version: STSv1\nmode: none\nmax_age: 5\n',
    { mode: 'none', mx: [], maxAgeSeconds: 5 },
  ],
  [
    'the first of two',
    `${whole}mode: none\nmax_age: 1\n`,
    { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAgeSeconds: 604_800 },
  ],
  [
    'more than a year',
    whole.replace('604800', '9999999999'),
    { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAgeSeconds: 31_557_600 },
  ],
  ['another version', whole.replace('STSv1', 'STSv2'), null],
  ['no mode', whole.replace(/mode.*\r\n/, ''), null],
  ['a mode of its own', whole.replace('enforce', 'strict'), null],
  ['no age', whole.replace(/max_age.*\r\n/, ''), null],
  ['an age that is no number', whole.replace('604800', '1 week'), null],
  ['no hosts', whole.replaceAll(/mx.*\r\n/g, ''), null],
  ['a page of something', '<html>', null],
] as const) {
  test(`policy, ${title}`, () => assert.deepEqual(readStsPolicy(text), policy))
}

for (const [host, pattern, matches] of [
  ['mail.example.com', 'mail.example.com', true],
  ['mail.example.com', '*.example.com', true],
  ['a.mail.example.com', '*.example.com', false],
  ['example.com', '*.example.com', false],
  ['mail.example.com', 'example.com', false],
  ['mailexample.com', '*.example.com', false],
  ['mail.example.com', '*', false],
] as const) {
  test(`${host} ${matches ? 'is' : 'is not'} named by ${pattern}`, () =>
    assert.equal(matchesSts(host, [pattern]), matches))
}
