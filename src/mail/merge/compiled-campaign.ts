/**
 * Types of a campaign's mail: the input of its compilation, the compiled form, and the values of a
 * recipient's copy.
 */
import type { RecipientLanguage } from '../../ground/texts/languages.ts'
import type { CampaignSource } from './campaign-source.ts'
import type { HeaderMailbox } from '../mime/header-lines.ts'
import type { MergeTag, MergeValues } from './merge-tags.ts'

/** All that the mail of a campaign depends on, the recipients aside. */
export interface CampaignToCompile {
  campaignId: string
  workspace: WorkspaceInMail
  /** The result of `validateContent`. */
  source: CampaignSource
  /** May hold merge tags, validated too. */
  subject: string
  preheader: string | null
  from: HeaderMailbox
  /** Where answers go; absent or empty: to the sender. */
  replyTo?: HeaderMailbox[]
  /**
   * The host of return paths and of the mailto in List-Unsubscribe. Null if the mail has neither.
   */
  returnPathHost: string | null
  /** `https://mail.example.com`, without a slash at the end: where the mail's own links lead. */
  baseUrl: string
  /** The language of the footer. */
  language: RecipientLanguage
  trackOpens: boolean
  trackClicks: boolean
}

/** The footer and the List-Id show the workspace so. */
export interface WorkspaceInMail {
  id: number
  name: string
  /** A label of the List-Id. */
  slug: string
  /** Several lines; null while the workspace has none. */
  postalAddress: string | null
}

/**
 * The JSON that is stored with the campaign. Texts hold marks (slots.ts) in place of personal
 * values.
 */
export interface CompiledCampaign extends Pick<
  CampaignToCompile,
  'from' | 'replyTo' | 'baseUrl' | 'trackOpens' | 'trackClicks' | 'subject'
> {
  /** The version of this shape. */
  version: 1
  boundary: string
  /** Absent in campaigns that were frozen before we had return paths of our own. */
  returnPathHost?: string | null
  /** Headers about the list, each line with its CRLF; the link to unsubscribe is a mark. */
  listHeaders: string
  html: string
  text: string
  tags: MergeTag[]
  /**
   * The author's http(s) links in the order of the text, each address once, merge tags written out:
   * `https://example.com/?for={{email}}`. A tracked link names one by its index here, counted from
   * 0.
   */
  links: string[]
  /** The images of the content, for preflight; `alt` is null where the author gave none. */
  images: Array<{ src: string; alt: string | null }>
  /**
   * Addresses of links and images that no mail may hold and that were taken away, for preflight;
   * cut to 200 characters.
   */
  removed: string[]
}

/**
 * Signed tokens of 64 base64url characters (link-tokens.ts), and the local part of the mailto
 * (verp.ts).
 */
export interface PersonalTokens {
  unsubscribe: string
  view: string
  track: string
  /** The local part has 63 characters; null where returned mail does not reach us. */
  mailto?: string | null
}

export interface MergeRecipient extends MergeValues {
  tokens: PersonalTokens
  /** `id@domain`, without angle brackets: `campaignMessageId`. */
  messageId: string
  /** The time of the hand-off: mailboxes sort by it, and a campaign may take hours or pause. */
  date: Date
  /** Lines of its own, each with its CRLF. Absent if there is none. */
  headers?: string
}

export interface FilledMail {
  /** CRLF line ends only, no line beyond 998 octets; not dot-stuffed. ASCII unless `utf8`. */
  bytes: Buffer
  /** The recipient's address needs SMTPUTF8 (RFC 6531). */
  utf8: boolean
}

/** A campaign's mail, ready to be copied for each recipient. */
export interface Template {
  /** The recipient's own copy: static bytes and a few slots. */
  fill(recipient: MergeRecipient): FilledMail
  /**
   * The page as it is read. Without a contact: the defaults of merge tags. Without tokens: no
   * personal links, and the author's own addresses in place of tracked ones. Never the open pixel.
   */
  renderHtml(contact: MergeValues | null, tokens: PersonalTokens | null): string
  renderText(contact: MergeValues | null, tokens: PersonalTokens | null): string
  renderSubject(contact: MergeValues | null): string
}
