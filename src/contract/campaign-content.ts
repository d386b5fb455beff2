/**
 * Defines the blocks of a campaign's `content`, as the reference describes them (semantics 4:
 * Content blocks).
 */
import { limits } from './limits.ts'
import { Type, oneOf, type TSchema } from './schema.ts'
import { colour } from './text-rules.ts'

export const blockTypes = [
  'heading',
  'paragraph',
  'image',
  'button',
  'divider',
  'list',
  'quote',
  'spacer',
  'html',
  'columns',
] as const
export type BlockType = (typeof blockTypes)[number]

const mergeTags =
  'Merge tags: `{{firstName}}`, `{{lastName}}`, `{{email}}`, `{{fields.key}}`, `{{unsubscribe_url}}`, `{{view_url}}`; ' +
  'with a default, `{{firstName | default: "you"}}`. Nothing else is looked up or computed.'

/**
 * Defines one field of a block. The shape accepts anything, since a refusal must name the block by
 * its index: the verb checks the rule. The published schema shows what that rule accepts
 * (json-schema.ts).
 */
const field = (described: TSchema, description: string, examples?: unknown[]) =>
  Type.Unknown({ 'x-described': described, description, ...(examples ? { examples } : {}) })
const optional = (described: TSchema, description: string, examples?: unknown[]) =>
  Type.Optional(field(described, description, examples))

const text = Type.String()
const color = Type.String(colour)

const kindOf = (types: readonly BlockType[]) =>
  field(oneOf(types), 'The kind of the block.', ['paragraph'])

const fields = {
  text: optional(
    text,
    'heading, paragraph, button, quote: the words; `label` is an alias. In headings, paragraphs, quotes and the items of lists ' +
      '`**bold**`, `*italic*`, `[text](https://…)` and bare addresses are understood; `\\*` is the sign itself.',
    ['Hello {{firstName | default: "you"}}'],
  ),
  level: optional(Type.Integer({ minimum: 1, maximum: 6, default: 1 }), 'heading: how large.'),
  src: optional(text, 'image: where the picture is, http or https; `url` is an alias.'),
  alt: optional(text, 'image: what it shows, for those who do not see it.'),
  width: optional(
    Type.Integer({ minimum: 1, maximum: 2000 }),
    'image: at most so many pixels wide; never wider than the mail.',
  ),
  href: optional(text, 'image, button: where it leads, http, https or mailto; `url` is an alias.'),
  items: optional(Type.Array(text, { minItems: 1, maxItems: 1000 }), 'list: its entries.'),
  ordered: optional(Type.Boolean({ default: false }), 'list: whether it counts.'),
  height: optional(Type.Integer({ minimum: 1, maximum: 200, default: 24 }), 'spacer: in pixels.'),
  html: optional(text, 'html: a piece of HTML, made safe.'),
  align: optional(oneOf(['left', 'center', 'right']), 'The alignment of its content.'),
  color: optional(
    color,
    'Of the words or the line: `#rgb` or `#rrggbb`. Dark mode shows words in its own colour.',
  ),
  background: optional(color, 'button: `#rgb` or `#rrggbb`.'),
}

const ColumnBlock = Type.Object(
  { type: kindOf(blockTypes.filter((type) => type !== 'columns')), ...fields },
  { $id: 'ColumnBlock', description: 'A block within a column.' },
)

const Block = Type.Object(
  {
    type: kindOf(blockTypes),
    ...fields,
    columns: optional(
      Type.Array(Type.Array(ColumnBlock), { minItems: 2, maxItems: 4 }),
      'columns: lists of blocks, without columns of their own.',
    ),
  },
  { $id: 'CampaignBlock', description: `${mergeTags} Unknown keys are ignored.` },
)

/** Of `POST /campaigns`. */
export const CampaignBlocks = Type.Array(Block, {
  description:
    `Blocks in their order, at most ${limits.blocksMax} with ${limits.bodyMax.toLocaleString('en-US')} characters in all. ` +
    "What is wrong with one is refused with the block's `index`, from 0.",
  examples: [
    [
      { type: 'heading', text: 'Hello {{firstName | default: "you"}}' },
      { type: 'paragraph', text: 'Three things are **new** this month.' },
      { type: 'button', text: 'See them', href: 'https://example.com/news' },
    ],
  ],
})
