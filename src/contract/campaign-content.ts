/** The blocks that a campaign's `content` is made of, as the reference describes them (semantics 4: Content blocks). */
import Type from 'typebox'
import { limits } from './limits.ts'

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

/** One field of a block. The verb holds it against its rule, since a refusal must name the block by its index. */
const field = (description: string, examples?: unknown[]) => Type.Unknown({ description, ...(examples ? { examples } : {}) })

const Block = Type.Object(
  {
    type: field(`One of ${blockTypes.map((type) => `\`${type}\``).join(', ')}.`, ['paragraph']),
    text: Type.Optional(
      field(
        'heading, paragraph, button, quote: the words; `label` is an alias. In headings, paragraphs, quotes and the items of lists ' +
          '`**bold**`, `*italic*`, `[text](https://…)` and bare addresses are understood; `\\*` is the sign itself.',
        ['Hello {{firstName | default: "you"}}'],
      ),
    ),
    level: Type.Optional(field('heading: 1 (default) to 6.')),
    src: Type.Optional(field('image: where the picture is, http or https; `url` is an alias.')),
    alt: Type.Optional(field('image: what it shows, for those who do not see it.')),
    width: Type.Optional(field('image: at most so many pixels wide, 1 to 2,000; never wider than the mail.')),
    href: Type.Optional(field('image, button: where it leads, http, https or mailto; `url` is an alias.')),
    items: Type.Optional(field('list: 1 to 1,000 texts.')),
    ordered: Type.Optional(field('list: whether it counts; default `false`.')),
    height: Type.Optional(field('spacer: 1 to 200 pixels, default 24.')),
    html: Type.Optional(field('html: a piece of HTML, made safe.')),
    columns: Type.Optional(field('columns: 2 to 4 lists of blocks, without columns of their own.')),
    align: Type.Optional(field('`left`, `center` or `right`.')),
    color: Type.Optional(field('Of the words or the line: `#rgb` or `#rrggbb`. Dark mode shows words in its own colour.')),
    background: Type.Optional(field('button: `#rgb` or `#rrggbb`.')),
  },
  { description: `${mergeTags} Unknown keys are ignored.` },
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
