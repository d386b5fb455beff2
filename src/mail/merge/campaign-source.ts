/**
 * An author's validated content with folded aliases: the form in which a campaign's content is
 * stored.
 */

export type CampaignSource =
  | { kind: 'text'; text: string }
  | { kind: 'content'; blocks: Block[] }
  | { kind: 'html'; html: string }

export type Align = 'left' | 'center' | 'right'

/** Every block has these; null is the default of its kind. */
interface CommonFields {
  align: Align | null
}

/**
 * `color` and `background` are `#rgb` or `#rrggbb`; null is the mail's own, which also suits dark
 * mode.
 */
export type Block = CommonFields & BlockFields

type BlockFields =
  | { type: 'heading'; text: string; level: number; color: string | null }
  | { type: 'paragraph'; text: string; color: string | null }
  | { type: 'image'; src: string; alt: string | null; href: string | null; width: number | null }
  | { type: 'button'; text: string; href: string; color: string | null; background: string | null }
  | { type: 'divider'; color: string | null }
  | { type: 'list'; items: string[]; ordered: boolean; color: string | null }
  | { type: 'quote'; text: string; color: string | null }
  | { type: 'spacer'; height: number }
  | { type: 'html'; html: string }
  | { type: 'columns'; columns: Block[][] }

export type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>
