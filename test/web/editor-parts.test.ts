/**
 * The parts of the campaign editor, without a browser: it reads its texts as the service does,
 * blocks move, nothing typed is lost.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readInline as readAsMail } from '../../src/mail/merge/inline-text.ts'
import { createMarkTable } from '../../src/mail/merge/mark-table.ts'
import {
  countPlaces,
  moveBlock,
  placeOf,
  placesFor,
  readBlocks,
  stepFrom,
  withColumns,
  type Block,
} from '../../web/src/pages/campaigns/editor/blocks.ts'
import { currentProblems } from '../../web/src/pages/campaigns/editor/current-problems.ts'
import {
  createDraftSaver,
  type DraftSaverParts,
  type Unsaved,
} from '../../web/src/pages/campaigns/editor/draft-saver.ts'
import {
  readInline,
  writeInline,
  type Run,
} from '../../web/src/pages/campaigns/editor/inline-format.ts'
import { withDefault } from '../../web/src/pages/campaigns/editor/merge-tag.ts'
import { versionLines } from '../../web/src/pages/campaigns/editor/version-lines.ts'
import type { Draft } from '../../src/contract/workspace/drafts.ts'

/** Every character with its look; blanks have none that can be seen. */
const stylesOf = (
  runs: { text: string; bold: boolean; italic: boolean; to: string | null }[],
): string[] =>
  runs.flatMap(({ text, bold, italic, to }) =>
    [...text].map((sign) =>
      /\s/.test(sign)
        ? `${sign}${to ?? ''}`
        : `${sign}${bold ? 'b' : ''}${italic ? 'i' : ''}${to ?? ''}`,
    ),
  )
const mine = (runs: Run[]): string[] =>
  stylesOf(runs.map((run) => ({ ...run, text: 'tag' in run ? run.tag : run.text, to: run.href })))

const visible = (signs: string[]): string[] => signs.filter((sign) => !/^\s/.test(sign))

/** As the mail shows it, bare addresses aside: they become links there by themselves. */
function asMail(text: string): string[] {
  const table = createMarkTable()
  const runs = readAsMail(table.markTags(text), 'formatted', table)
  return stylesOf(
    runs.map(({ link, ...run }) => ({
      ...run,
      text: table.unmark(run.text),
      to: link === null ? null : table.unmark(link.to),
    })),
  )
}

const word = fc
  .array(fc.constantFrom('a', ' ', '*', '**', '\\', '[', ']', '(', ')', '\n', 'é'), {
    maxLength: 5,
  })
  .map((parts) => parts.join(''))
const query = {
  bold: fc.boolean(),
  italic: fc.boolean(),
  href: fc.constantFrom(null, null, 'https://example.com/x(1)?a={{email}}'),
}
const anyRun = fc.oneof(
  fc.record({ ...query, text: word }),
  fc.record({
    ...query,
    tag: fc.constantFrom('{{firstName}}', '{{fields.city | default: "a*b [c](d)"}}'),
  }),
)

test('edited content is written so that the mail shows the same words in the same looks', () => {
  fc.assert(
    fc.property(fc.array(anyRun, { maxLength: 6 }), (runs) => {
      const written = writeInline(runs)
      const expected = mine(runs).map((sign) => sign.replace('x(1)', 'x%281%29'))
      assert.deepEqual(visible(asMail(written)), visible(expected))
      assert.deepEqual(mine(readInline(written)), asMail(written))
    }),
    { numRuns: 400 },
  )
})

test('stored content is read as the mail reads it, and written back with the same meaning', () => {
  const text = fc.array(
    fc.constantFrom(
      '*',
      '**',
      'a',
      ' ',
      '\\',
      '[',
      ']',
      '(',
      ')',
      '(mailto:a@example.com)',
      '{{email}}',
      '{{',
    ),
    { maxLength: 14 },
  )
  fc.assert(
    fc.property(
      text.map((parts) => parts.join('')),
      (stored) => {
        // An address that leads nowhere is refused by the service, and shown as what it is meant to
        // be.
        fc.pre(!/\]\(\s*(?!mailto|\s)/.test(stored))
        assert.deepEqual(mine(readInline(stored)), asMail(stored))
        assert.deepEqual(
          visible(mine(readInline(writeInline(readInline(stored))))),
          visible(mine(readInline(stored))),
        )
      },
    ),
    { numRuns: 400 },
  )
})

const blocksOf = (): Block[] =>
  readBlocks([
    { key: 'a', type: 'paragraph', text: 'a' },
    { key: 'c', type: 'columns', columns: [[{ key: 'x', type: 'divider' }], []] },
    { key: 'b', type: 'quote', text: 'b', color: null },
  ])
const outline = (blocks: readonly Block[]): unknown[] =>
  blocks.map(({ key, columns }) => (columns ? [key, ...columns.map(outline)] : key))

test('a block goes step by step through everything, columns too, and back the same way', () => {
  let blocks = blocksOf()
  const observed = [outline(blocks)]
  for (let location = stepFrom(blocks, 'a', 1); location; location = stepFrom(blocks, 'a', 1)) {
    blocks = moveBlock(blocks, 'a', location)
    observed.push(outline(blocks))
  }
  assert.deepEqual(observed, [
    ['a', ['c', ['x'], []], 'b'],
    [['c', ['a', 'x'], []], 'b'],
    [['c', ['x', 'a'], []], 'b'],
    [['c', ['x'], ['a']], 'b'],
    [['c', ['x'], []], 'a', 'b'],
    [['c', ['x'], []], 'b', 'a'],
  ])
  assert.deepEqual(countPlaces(blocks, 'a'), { at: 3, of: 3 })
  for (let location = stepFrom(blocks, 'a', -1); location; location = stepFrom(blocks, 'a', -1))
    blocks = moveBlock(blocks, 'a', location)
  assert.deepEqual(outline(blocks), ['a', ['c', ['x'], []], 'b'])
})

test('no move loses or doubles a block, and columns never go into columns', () => {
  const blocks = blocksOf()
  const keys = (list: readonly Block[]): string[] =>
    list.flatMap((block) => [block.key, ...keys((block.columns ?? []).flat())]).toSorted()
  for (const key of ['a', 'b', 'c', 'x']) {
    const block = blocks
      .flatMap((each) => [each, ...(each.columns ?? []).flat()])
      .find((each) => each.key === key)
    assert.ok(block)
    for (const location of placesFor(blocks, block)) {
      const moved = moveBlock(blocks, key, location)
      assert.deepEqual(keys(moved), keys(blocks))
      if (key === 'c') assert.equal(placeOf(moved, 'c')?.within, null)
    }
  }
  const [first, , last] = blocks
  assert.ok(first && last)
  assert.deepEqual(withColumns([[first], [], [last]], 2).map(outline), [['a'], ['b']])
  assert.deepEqual(withColumns([[first], []], 3).map(outline), [['a'], [], []])
})

const draft = (change: Partial<Draft> = {}): Draft => ({
  ...{
    object: 'draft',
    id: 'd',
    status: 'draft',
    name: 'n',
    subject: 's',
    preheader: '',
    from: null,
    replyTo: [],
    kind: 'text',
  },
  ...{
    text: 't',
    content: [],
    html: '',
    trackOpens: true,
    trackClicks: true,
    unfinished: false,
    problems: [],
  },
  ...{ version: 1, savedAt: '2026-11-21T08:30:00.000Z', savedBy: null, ...change },
})

test('a default goes into each tag of its name that has none, at any depth, and into no other', () => {
  const bare =
    '{{fields.town}} {{ fields.town | default: "" }} {{fields.town | default: "x"}} {{fields.townx}}'
  const content = [{ type: 'columns', columns: [[{ type: 'list', items: [bare] }], []] }]
  const filled = `{{fields.town | default: "$& town"}} {{fields.town | default: "$& town"}} {{fields.town | default: "x"}} {{fields.townx}}`
  const { text: _text, ...changed } = withDefault(draft({ subject: bare, content }), {
    name: 'fields.town',
    fallback: '$& town',
  })
  assert.deepEqual(changed, {
    ...{ subject: filled, preheader: '', html: '' },
    content: [{ type: 'columns', columns: [[{ type: 'list', items: [filled] }], []] }],
  })
  const quoted = withDefault(draft({ text: '{{firstName}}' }), {
    name: 'firstName',
    fallback: 'the "boss"',
  })
  assert.equal(quoted.text, `{{firstName | default: 'the "boss"'}}`)
})

test('two versions differ in what a user types: no ids, states or times; a style counts with its words', () => {
  const say = ((key: string) => key) as unknown as Parameters<typeof versionLines>[2]
  const version = (change: Partial<Draft>) => draft({ kind: 'content', ...change })
  const names = ['name', 'subject', 'preheader', 'from', 'trackOpens', 'trackClicks']
  const content = [
    { type: 'heading', text: 'News', level: 1 },
    {
      type: 'columns',
      columns: [
        [{ type: 'image', src: 'https://a.test/x.png', alt: 'A dot' }],
        [{ type: 'divider' }],
      ],
    },
  ]
  const lines = versionLines(
    version({ content, trackClicks: false, savedBy: 'bob@shop.test' }),
    names,
    say,
  )
  assert.deepEqual(
    lines.map(({ text }) => text),
    [
      'field_name: n',
      'field_subject: s',
      'trackOpens: yes',
      'trackClicks: no',
      'News',
      'A dot',
      'block_divider',
    ],
  )
  const others = versionLines(
    version({ content: [{ type: 'heading', text: 'News', level: 2 }, content[1] ?? { type: '' }] }),
    names,
    say,
  )
  const marked = lines.filter(
    ({ identity }) => !others.some((other) => other.identity === identity),
  )
  assert.deepEqual(
    marked.map(({ text }) => text),
    ['trackClicks: no', 'News'],
  )
})

test('a problem follows its block by the checked content, not by later typing', () => {
  const stored: Record<string, unknown>[] = [
    { type: 'divider' },
    { type: 'button', text: 'x' },
    { type: 'columns', columns: [[{ type: 'quote' }], []] },
  ]
  const checked = draft({ content: stored.map((block) => ({ type: '', ...block })) })
  const problems = [
    { path: 'content.1.href', index: 1, rule: 'required' },
    { path: 'content.2.columns.0.0.text', index: 2, indexes: [2, 0, 0], rule: 'required' },
    { path: 'content', rule: 'links', limit: 100 },
  ]
  const places = (content: Block[]): unknown[] =>
    currentProblems({ problems, checked, typed: { ...checked, content } }).map(
      ({ path, block }) => [path, block],
    )
  const [divider, button, columns] = readBlocks(checked.content)
  assert.ok(divider && button && columns)
  const [quote] = columns.columns?.[0] ?? []
  assert.ok(quote)
  const [ofButton, ofQuote, whole] = [
    ['content.1.href', '1'],
    ['content.2.columns.0.0.text', '2.0.0'],
    ['content', null],
  ]
  assert.deepEqual(places([divider, button, columns]), [ofButton, ofQuote, whole])
  assert.deepEqual(places([quote, { ...columns, columns: [[], [button]] }]), [
    ofButton,
    ofQuote,
    whole,
  ])
  assert.deepEqual(places([{ ...button, text: 'other' }, columns]), [ofButton, ofQuote, whole])
  assert.deepEqual(places([{ ...button, href: 'h' }, columns]), [ofQuote, whole])
  assert.deepEqual(places([divider]), [whole])
})

/** A service whose answers the test gives, and time that passes when the test says so. */
function world(unsaved: Unsaved | null = null, opened = draft()) {
  const later: (() => void)[] = []
  const requested: {
    text: string
    version: number
    keepAs: string | null
    answer: (result: unknown) => void
  }[] = []
  const stored: (Unsaved | null)[] = []
  const parts: DraftSaverParts = {
    save: ({ text }, version, keepAs) =>
      new Promise((resolve, reject) => {
        const answer = (result: unknown): void =>
          result instanceof Error
            ? reject(result)
            : resolve({ version: version + 1, problems: [], savedAt: '', savedBy: null })
        requested.push({ text, version, keepAs, answer })
      }),
    newerOf: (error) => (error instanceof Error && error.cause ? (error.cause as Draft) : null),
    remember: (state) => stored.push(state),
    later: (work) => {
      later.push(work)
      return () => void later.splice(later.indexOf(work) >>> 0, 1)
    },
  }
  const keeper = createDraftSaver(opened, unsaved, parts)
  return {
    keeper,
    asked: requested,
    kept: stored,
    pass: () => later.splice(0).forEach((work) => work()),
    turn: () => new Promise(setImmediate),
  }
}

test('text typed during a save is saved next, by the version that the first save answered', async () => {
  const { keeper, asked: requested, kept: stored, pass, turn } = world()
  keeper.change({ text: 'one' })
  assert.equal(stored.at(-1)?.typed.text, 'one', 'in the storage before any answer')
  pass()
  keeper.change({ text: 'two' })
  assert.equal(requested.length, 1)
  requested[0]?.answer(null)
  await turn()
  assert.equal(stored.at(-1)?.typed.text, 'two')
  pass()
  assert.partialDeepStrictEqual(requested[1], { text: 'two', version: 2 })
  requested[1]?.answer(null)
  await turn()
  assert.equal(keeper.state().phase, 'saved')
  assert.equal(stored.at(-1), null)
})

test('without an answer it stays in the storage and is tried again', async () => {
  const { keeper, asked: requested, kept: stored, pass, turn } = world()
  keeper.change({ text: 'one' })
  pass()
  requested[0]?.answer(new Error('no connection'))
  await turn()
  assert.equal(keeper.state().phase, 'unsaved')
  assert.equal(stored.at(-1)?.typed.text, 'one')
  pass()
  assert.partialDeepStrictEqual(requested[1], { text: 'one', version: 1 })
})

test('a newer version stops saving until the user chooses; their save then names the other version and stores it', async () => {
  const { keeper, asked: requested, pass, turn } = world()
  keeper.change({ text: 'mine' })
  pass()
  requested[0]?.answer(new Error('conflict', { cause: draft({ version: 5, text: 'theirs' }) }))
  await turn()
  assert.equal(keeper.state().conflict?.text, 'theirs')
  keeper.change({ text: 'mine too' })
  pass()
  assert.equal(requested.length, 1)
  const chosen = keeper.choose('mine', 'copy of theirs')
  assert.partialDeepStrictEqual(requested[1], {
    text: 'mine too',
    version: 5,
    keepAs: 'copy of theirs',
  })
  requested[1]?.answer(null)
  await chosen
  assert.equal(keeper.state().phase, 'saved')
})

test('after a reload the typed text goes on from its version; beside a newer version it is a conflict', () => {
  const typed = { ...draft(), text: 'before the reload' }
  const fresh = world({ version: 1, typed })
  fresh.pass()
  assert.partialDeepStrictEqual(fresh.asked[0], { text: 'before the reload', version: 1 })
  const late = world({ version: 1, typed }, draft({ version: 2, text: 'theirs' }))
  late.pass()
  assert.equal(late.asked.length, 0)
  assert.equal(late.keeper.state().conflict?.text, 'theirs')
  assert.equal(late.keeper.state().typed.text, 'before the reload')
})

test("a save whose answer was lost is no other user's version", async () => {
  const { keeper, asked: requested, kept: stored, pass, turn } = world()
  keeper.change({ text: 'one' })
  pass()
  requested[0]?.answer(new Error('conflict', { cause: draft({ version: 2, text: 'one' }) }))
  await turn()
  assert.partialDeepStrictEqual(keeper.state(), { phase: 'saved', version: 2, conflict: null })
  assert.equal(stored.at(-1), null)
})

test('nor is a lost save another version after a reload, after a read, or after more typing', async () => {
  const restored = world(
    { version: 1, typed: { ...draft(), text: 'one' } },
    draft({ version: 2, text: 'one' }),
  )
  restored.pass()
  assert.equal(restored.asked.length, 0)
  assert.partialDeepStrictEqual(restored.keeper.state(), {
    phase: 'saved',
    version: 2,
    conflict: null,
  })
  assert.equal(restored.kept.at(-1), null)

  const { keeper, asked: requested, pass, turn } = world()
  keeper.change({ text: 'one' })
  pass()
  requested[0]?.answer(new Error('no connection'))
  await turn()
  keeper.change({ text: 'two' })
  keeper.meet(draft({ version: 2, text: 'one' }))
  assert.partialDeepStrictEqual(keeper.state(), { phase: 'changed', version: 2, conflict: null })
  pass()
  assert.partialDeepStrictEqual(requested[1], { text: 'two', version: 2 })
})

test('the other version keeps its name though the first save does not reach the service', async () => {
  const {
    keeper,
    asked: requested,
    pass,
    turn,
  } = world({ version: 1, typed: { ...draft(), text: 'mine' } }, draft({ version: 2 }))
  const chosen = keeper.choose('mine', 'copy of theirs')
  requested[0]?.answer(new Error('no connection'))
  await chosen
  pass()
  assert.partialDeepStrictEqual(requested[1], { version: 2, keepAs: 'copy of theirs' })
  requested[1]?.answer(null)
  await turn()
  keeper.change({ text: 'more' })
  pass()
  assert.partialDeepStrictEqual(requested[2], { version: 3, keepAs: null })
})

test('leaving the page saves a last time; a save that then fails waits in the storage and is not tried again', async () => {
  const { keeper, asked: requested, kept: stored, pass, turn } = world()
  keeper.change({ text: 'one' })
  const ended = keeper.end()
  assert.equal(requested.length, 1)
  requested[0]?.answer(new Error('no connection'))
  await ended
  pass()
  await turn()
  assert.equal(requested.length, 1)
  assert.equal(stored.at(-1)?.typed.text, 'one')
})
