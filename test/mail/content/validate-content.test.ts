/** Refusals at creation, and their details: path, rule, the block's index. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Compile from 'typebox/compile'
import { ApiError, type ErrorDetails } from '../../../src/contract/errors.ts'
import { CampaignBlocks } from '../../../src/contract/campaign-content.ts'
import { plainSchema } from '../../../src/contract/json-schema.ts'
import {
  validateContent,
  type ContentToValidate,
} from '../../../src/mail/content/validate-content.ts'
import { findForeignSyntax, findPlaceholders } from '../../../src/mail/content/foreign-syntax.ts'
import { assertLinear } from '../../support/linear.ts'

function refusal(content: Omit<ContentToValidate, 'subject'> & { subject?: string }): ErrorDetails {
  try {
    validateContent({ subject: 'S', ...content })
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, 'validation_error')
    return error.details
  }
  return assert.fail(`accepted: ${JSON.stringify(content).slice(0, 200)}`)
}

/** The details beside `errors`: those of the first problem. */
function firstProblem(content: unknown[]): ErrorDetails {
  const { errors: _, ...first } = refusal({ content })
  return first
}

test('422: no content, an empty one, or more than one', () => {
  for (const content of [
    {},
    { text: '' },
    { content: [] },
    { html: '', text: null },
    { text: ' \n' },
    { html: '\n' },
  ]) {
    assert.equal(refusal(content)['rule'], 'one_content')
    assert.equal(refusal(content)['hint'], 'one_content')
  }
  assert.equal(refusal({ text: 'a', html: '<p>b</p>' })['rule'], 'one_content')
  assert.equal(refusal({ text: 'a', content: [{ type: 'divider' }] })['rule'], 'one_content')
})

test('422: an unknown type, with the index of its block and the types there are', () => {
  const { index, path, rule, allowed } = firstProblem([
    { type: 'divider' },
    { type: 'video', src: 'x' },
  ])
  assert.deepEqual({ index, path, rule }, { index: 1, path: 'content.1.type', rule: 'enum' })
  assert.ok(Array.isArray(allowed) && allowed.includes('button'))
  assert.deepEqual(firstProblem([{ text: 'x' }]), {
    path: 'content.0.type',
    index: 0,
    rule: 'required',
  })
  assert.deepEqual(firstProblem(['x']), { path: 'content.0', index: 0, rule: 'type' })
})

test('422: each field by its rule, with the index of its block', () => {
  for (const [block, name, rule] of [
    [{ type: 'heading' }, 'text', 'required'],
    [{ type: 'heading', text: ' ' }, 'text', 'required'],
    [{ type: 'heading', text: 'x', level: 7 }, 'level', 'maximum'],
    [{ type: 'heading', text: 'x', level: 0 }, 'level', 'minimum'],
    [{ type: 'heading', text: 'x', level: '1' }, 'level', 'type'],
    [{ type: 'heading', text: 5 }, 'text', 'type'],
    [{ type: 'heading', text: 'x', label: 'y' }, 'label', 'alias_differs'],
    [{ type: 'heading', text: 'x', align: 'justify' }, 'align', 'enum'],
    [{ type: 'heading', text: 'x', color: 'red' }, 'color', 'color'],
    [{ type: 'paragraph' }, 'text', 'required'],
    [{ type: 'paragraph', text: 'x {{name}}' }, 'text', 'merge_tag'],
    [{ type: 'paragraph', text: 'x [y](javascript:z)' }, 'text', 'scheme'],
    [{ type: 'heading', text: '[y](www.example.com)' }, 'text', 'relative'],
    [{ type: 'quote', text: '[y](https://{{fields.host}}/)' }, 'text', 'merge_tag_in_host'],
    [{ type: 'list', items: ['x', '[y](/z)'] }, 'items.1', 'relative'],
    [{ type: 'image' }, 'src', 'required'],
    [{ type: 'image', src: 'data:image/png;base64,AA==' }, 'src', 'scheme'],
    [{ type: 'image', src: '/logo.png' }, 'src', 'relative'],
    [{ type: 'image', src: 'https://example.com/a.png', href: 'javascript:x' }, 'href', 'scheme'],
    [{ type: 'image', src: 'https://example.com/a.png', width: 0 }, 'width', 'minimum'],
    [{ type: 'button', text: 'x' }, 'href', 'required'],
    [{ type: 'button', text: 'x', href: 'https://{{fields.host}}/' }, 'href', 'merge_tag_in_host'],
    [
      { type: 'button', text: 'x', url: 'https://a.example', href: 'https://b.example' },
      'url',
      'alias_differs',
    ],
    [
      { type: 'button', text: 'x', href: 'https://a.example', background: '#12345' },
      'background',
      'color',
    ],
    [{ type: 'divider', color: 'url(x)' }, 'color', 'color'],
    [{ type: 'list' }, 'items', 'required'],
    [{ type: 'list', items: [] }, 'items', 'minItems'],
    [{ type: 'list', items: ['x', 5] }, 'items.1', 'type'],
    [{ type: 'list', items: ['x'], ordered: 'yes' }, 'ordered', 'type'],
    [{ type: 'quote', text: '' }, 'text', 'required'],
    [{ type: 'spacer', height: 500 }, 'height', 'maximum'],
    [{ type: 'html' }, 'html', 'required'],
    [{ type: 'html', html: '<a href="news">x</a>' }, 'html', 'relative'],
    [{ type: 'html', html: '{{#if x}}' }, 'html', 'template_syntax'],
    [{ type: 'columns' }, 'columns', 'required'],
    [{ type: 'columns', columns: [[]] }, 'columns', 'minItems'],
    [{ type: 'columns', columns: [[], [], [], [], []] }, 'columns', 'maxItems'],
  ] as const) {
    const problem = firstProblem([{ type: 'spacer' }, { type: 'divider' }, block])
    assert.deepEqual(
      { index: problem['index'], path: problem['path'], rule: problem['rule'] },
      { index: 2, path: `content.2.${name}`, rule },
      JSON.stringify(block),
    )
  }
})

test('the documented type, words and bounds of a field are the validated ones, within columns too', () => {
  const own = plainSchema(CampaignBlocks).items?.properties ?? {}
  const src = 'https://example.com/a.png'
  const carriers: Record<string, object> = {
    ...{
      type: {},
      text: { type: 'paragraph' },
      level: { type: 'heading', text: 'x' },
      src: { type: 'image' },
    },
    ...{ alt: { type: 'image', src }, width: { type: 'image', src }, href: { type: 'image', src } },
    ...{
      items: { type: 'list' },
      ordered: { type: 'list', items: ['x'] },
      height: { type: 'spacer' },
      html: { type: 'html' },
    },
    ...{
      align: { type: 'divider' },
      color: { type: 'divider' },
      background: { type: 'button', text: 'x', href: src },
    },
    ...{ columns: { type: 'columns' } },
  }
  const values = [
    ...[
      0,
      1,
      6,
      7,
      200,
      201,
      2000,
      2001,
      -1,
      1.5,
      true,
      'x',
      'left',
      'divider',
      'columns',
      'video',
      '',
      {},
      [],
      [[]],
    ],
    ...[['x'], ['x', 5], Array(1000).fill('x'), Array(1001).fill('x')],
    ...[
      [[], []],
      [[], [], [], [], []],
      [[], 'x'],
      [[{ type: 'divider' }], [{ type: 'columns' }]],
    ],
  ]
  const rules = new Set([
    'type',
    'enum',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'nested_columns',
  ])
  assert.deepEqual(Object.keys(own).toSorted(), Object.keys(carriers).toSorted())
  for (const [name, carrier] of Object.entries(carriers)) {
    const reported = Compile(own[name] ?? {})
    for (const value of values) {
      const errors = problemsOf([{ ...carrier, [name]: value }])
      const refused = errors.some(
        ({ path, rule }) => path.startsWith(`content.0.${name}`) && rules.has(rule),
      )
      assert.equal(
        reported.Check(value),
        !refused,
        `${name}: ${JSON.stringify(value).slice(0, 100)} ${JSON.stringify(errors)}`,
      )
    }
  }
})

function problemsOf(content: unknown[]): { path: string; rule: string }[] {
  try {
    validateContent({ subject: 'S', content })
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    const errors: unknown = error.details['errors']
    assert.ok(Array.isArray(errors))
    return errors
  }
}

test('a text that is no link, or is written as none, stays text', () => {
  for (const text of [
    '[y] (z)',
    '\\[y](z)',
    '[y](two words)',
    '[y](https://example.com/?for={{firstName | default: "you"}})',
  ])
    assert.equal(
      validateContent({ subject: 'S', content: [{ type: 'paragraph', text }] }).source.kind,
      'content',
      text,
    )
  assert.equal(validateContent({ subject: 'S', text: '[y](z)' }).source.kind, 'text')
})

test('422 inside columns: the path of indexes; columns inside columns are refused', () => {
  const columns = [
    [{ type: 'divider' }],
    { blocks: [{ type: 'divider' }, { type: 'button', text: 'x', href: '/x' }] },
  ]
  assert.deepEqual(firstProblem([{ type: 'divider' }, { type: 'columns', columns }]), {
    path: 'content.1.columns.1.1.href',
    index: 1,
    indexes: [1, 1, 1],
    rule: 'relative',
    value: '/x',
  })
  const nested = firstProblem([
    { type: 'columns', columns: [[{ type: 'columns', columns: [[], []] }], []] },
  ])
  assert.deepEqual(
    { rule: nested['rule'], indexes: nested['indexes'] },
    { rule: 'nested_columns', indexes: [0, 0, 0] },
  )
  assert.deepEqual(
    firstProblem([{ type: 'columns', columns: [[], 'x'] }])['path'],
    'content.0.columns.1',
  )
})

test('422: all problems together, ten at most', () => {
  const errors = refusal({ content: Array.from({ length: 30 }, () => ({ type: 'nothing' })) })[
    'errors'
  ]
  assert.ok(Array.isArray(errors))
  assert.equal(errors.length, 10)
})

test('422: more than 200 blocks, those in columns included; more than 400,000 characters', () => {
  const dividers = Array.from({ length: 150 }, () => ({ type: 'divider' }))
  assert.equal(
    validateContent({ subject: 'S', content: [...dividers, ...dividers.slice(100)] }).source.kind,
    'content',
  )
  const content = [...dividers, { type: 'columns', columns: [dividers, []] }]
  assert.deepEqual(firstProblem(content), { path: 'content', rule: 'blocks', limit: 200 })
  const long = { type: 'paragraph', text: 'x'.repeat(200_001) }
  assert.deepEqual(firstProblem([long, long]), {
    path: 'content',
    rule: 'characters',
    limit: 400_000,
  })
})

test('422: a merge tag that is unknown, named as it was written, in subject, preheader, text and html', () => {
  for (const path of ['subject', 'preheader', 'text', 'html']) {
    const content = { ...(path === 'html' ? {} : { text: 'x' }), [path]: 'Hi {{surname}}' }
    const { errors: _, ...first } = refusal(content)
    assert.deepEqual(first, { path, rule: 'merge_tag', value: '{{surname}}' })
  }
})

test('422: an address in subject or preheader, where no reader could follow it', () => {
  assert.equal(refusal({ subject: 'Out: {{unsubscribe_url}}', text: 'x' })['rule'], 'merge_tag')
  assert.equal(refusal({ preheader: '{{view_url}}', text: 'x' })['value'], '{{view_url}}')
})

test('422: control characters in subject and preheader', () => {
  assert.deepEqual(refusal({ subject: 'a\r\nBcc: x', text: 'x' })['path'], 'subject')
  assert.deepEqual(refusal({ preheader: 'a\u2028b', text: 'x' })['rule'], 'control_character')
})

test('422: more than 1,000 links that differ; the same link often is one', () => {
  const links = (count: number): string =>
    Array.from({ length: count }, (_, i) => `https://example.com/${i}`).join(' ')
  assert.deepEqual(refusal({ text: links(1001) })['rule'], 'links')
  validateContent({ subject: 'S', text: `${links(1000)} ${links(1000)}` })
})

test('422: html that grows without end when a browser reads it; nothing costs more than its length', () => {
  const open = Array.from({ length: 3000 }, (_, i) => `<b id=${i}>`).join('')
  assert.equal(
    refusal({ html: `<p>${open}</p>${'<p>x</p>'.repeat(3000)}` })['rule'],
    'html_elements',
  )
  assert.equal(refusal({ html: '<div>'.repeat(70_000) })['rule'], 'html_elements')
  assert.equal(refusal({ html: '<div>'.repeat(1000) })['rule'], 'html_depth')
  assert.equal(
    refusal({ html: `<a ${Array.from({ length: 90_000 }, (_, i) => `a${i}`).join(' ')} href=x>` })[
      'rule'
    ],
    'relative',
  )
  for (const write of [
    (length: number) => `<pre>${' '.repeat(length)}x`,
    (length: number) => `<a href="https://example.com/${' '.repeat(length)}x">y</a>`,
    (length: number) => `<p style="${'\\'.repeat(length)}">`,
  ]) {
    assertLinear(write(10), 97_000, (length) =>
      assert.ok(['accepted', 'address'].includes(verdict(write(length)))),
    )
  }
})

function verdict(html: string): string {
  try {
    validateContent({ subject: 'S', html })
    return 'accepted'
  } catch (error) {
    return error instanceof ApiError ? String(error.details['rule']) : String(error)
  }
}

test('aliases are folded: url, label, a picture by url, columns as objects', () => {
  const { source } = validateContent({
    subject: 'S',
    content: [
      { type: 'button', label: 'Go', url: 'https://example.com/' },
      { type: 'image', url: 'https://example.com/a.png' },
      { type: 'image', src: 'https://example.com/a.png', url: 'https://example.com/' },
      { type: 'button', label: 'Go', text: 'Go', href: 'mailto:a@example.com', url: null },
    ],
  })
  assert.deepEqual(source, {
    kind: 'content',
    blocks: [
      {
        type: 'button',
        text: 'Go',
        href: 'https://example.com/',
        align: null,
        color: null,
        background: null,
      },
      {
        type: 'image',
        src: 'https://example.com/a.png',
        href: null,
        alt: null,
        width: null,
        align: null,
      },
      {
        type: 'image',
        src: 'https://example.com/a.png',
        href: 'https://example.com/',
        alt: null,
        width: null,
        align: null,
      },
      {
        type: 'button',
        text: 'Go',
        href: 'mailto:a@example.com',
        align: null,
        color: null,
        background: null,
      },
    ],
  })
})

test('the syntax of other products is named with ours; what only looks like it is text', () => {
  for (const [text, value, ours] of [
    ['*|FNAME|*', '*|FNAME|*', '{{firstName}}'],
    ['*|MERGE:CITY|*', '*|MERGE:CITY|*', '{{fields.city}}'],
    ['a *|UNSUB|* b', '*|UNSUB|*', '{{unsubscribe_url}}'],
    ['*|IF:LNAME|*', '*|IF:LNAME|*', '{{lastName | default: "…"}}'],
    ['{%- if first_name -%}', '{%- if first_name -%}', '{{firstName | default: "…"}}'],
    ['{% unsubscribe_url %}', '{% unsubscribe_url %}', '{{unsubscribe_url}}'],
    ['{% without an end, {% web_version %}', '{% web_version %}', '{{view_url}}'],
    ['{{ .Email }}', '{{ .Email }}', '{{email}}'],
    ['{{ .Subscriber.Attribs.city }}', '{{ .Subscriber.Attribs.city }}', '{{fields.city}}'],
    ['{{{firstName}}}', '{{{firstName}}}', '{{firstName}}'],
    [
      '{{{ city | your town }}}',
      '{{{ city | your town }}}',
      '{{fields.city | default: "your town"}}',
    ],
    ['{{#if name}}', '{{#if name}}', '{{firstName | default: "…"}}'],
  ] as const)
    assert.partialDeepStrictEqual(refusal({ text }), {
      path: 'text',
      rule: 'template_syntax',
      value,
      allowed: [ours],
    })
  for (const text of [
    '100 %} {%',
    '*|',
    '|*a*|',
    'a{ % b % }',
    '@media{a{b:c}}',
    `{{ '*|X|*' }}`,
    '{{firstName | default: "*|X|*"}}',
    '[Name]',
  ])
    validateContent({ subject: 'S', text })
  assert.deepEqual(findPlaceholders('Dear [Name,fallback=there], [Name, of all] [x](y)'), [
    '[Name,fallback=there]',
  ])
  for (const piece of ['{%', '%}', '*|', '|*', '{% ', '{{{', '{{ .', '[', '[name', '% '])
    assertLinear(piece, 20_000, (length) => {
      findForeignSyntax(piece.repeat(length / piece.length))
      findPlaceholders(piece.repeat(length / piece.length))
    })
})
