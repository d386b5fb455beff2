/**
 * The words of other products for the status of a contact, in English and French: words of a status
 * column, and columns that say by a date, a yes or a no that the contact left or never agreed
 * (semantics 7). Sources: the exports of Mailchimp, listmonk, Resend, Sendy, Brevo, HubSpot, Kit,
 * Keila, MailerLite, Klaviyo, Campaign Monitor, Ghost, Substack, Shopify, Mailjet, phpList, and our
 * own.
 */

import { normalised } from '../../../files/address-column.ts'
import { statusMeaningNames as meanings } from '../../../../contract/workspace/imports.ts'

/** The last three: the contact left, and no import subscribes them. */
export type StatusMeaning = (typeof meanings)[number]
export type Departure = Exclude<StatusMeaning, 'subscribed' | 'pending'>

export const isMeaning = (text: string): text is StatusMeaning =>
  (meanings as readonly string[]).includes(text)

export const isDeparture = (meaning: StatusMeaning): meaning is Departure =>
  meaning !== 'subscribed' && meaning !== 'pending'

const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean)

const words: Record<StatusMeaning, string> = {
  subscribed: `subscribed active enabled confirmed optin optedin subscriber abonne abonnee inscrit inscrite actif active confirme confirmee`,
  pending: `pending unconfirmed notconfirmed waiting awaitingconfirmation unactivated enattente nonconfirme nonconfirmee aconfirmer`,
  unsubscribed: `unsubscribed unsubscribe unsub optout optedout notsubscribed nonsubscribed neversubscribed blocklisted blacklisted
    blocked disabled cancelled canceled removed deleted archived suppressed left donotcontact donotemail donotmail
    desabonne desabonnee desinscrit desinscrite blackliste blacklistee usersuppressed nonabonne nonabonnee noninscrit noninscrite bloque bloquee listenoire supprime
    supprimee resilie resiliee annule annulee archive archivee desactive desactivee parti partie`,
  bounced: `bounced bounce hardbounced hardbounce cleaned invalid unreachable undeliverable invalide injoignable rebond nettoye nettoyee`,
  complained: `complained complaint spam markedasspam markedspam spamcomplaint reportedspam reportedasspam junk abuse
    plainte signalecommespam marquecommespam indesirable`,
}

const meaningOfWord: ReadonlyMap<string, StatusMeaning> = new Map(
  meanings.flatMap((meaning) => wordsOf(words[meaning]).map((word) => [word, meaning] as const)),
)

/** Undefined for a word that no product is known to write. */
export const meaningOf = (word: string): StatusMeaning | undefined =>
  meaningOfWord.get(normalised(word))

/** Names of columns that hold such words. */
const statusHeaders = new Set(
  wordsOf(`status statut subscriptionstatus subscriberstatus emailstatus contactstatus memberstatus liststatus newsletterstatus
    consentstatus optinstatus emailsubscriptionstatus emailmarketingstatus marketingstatus statutabonnement statutdabonnement
    statutdelabonnement statutabonne statutducontact statutemail statutmarketing etatdelabonnement etatabonnement`),
)

export const isStatusHeader = (header: string): boolean => statusHeaders.has(normalised(header))

/** The status of contacts with a date or a yes in a column, or with a no. */
export interface Indication {
  meaning: Exclude<StatusMeaning, 'subscribed'>
  by: 'yes' | 'no'
}

/** Names of such columns, without what may stand before and behind them. */
const indicatingHeaders: [Indication, string][] = [
  [
    { meaning: 'unsubscribed', by: 'yes' },
    `unsub unsubscribe unsubscribed unsubscription optout optedout blacklist blacklisted blocklist blocklisted cancelled canceled deleted
      donotemail donotmail donotcontact dnc suppressed disabled quarantined excludedfromcampaigns desabonne desabonnee desabonnement
      desinscrit desinscrite desinscription listenoire`,
  ],
  [
    { meaning: 'bounced', by: 'yes' },
    `clean cleaned bounce bounced hardbounce hardbounced hardbouncereason bouncereason unreachable undeliverable rebond`,
  ],
  [
    { meaning: 'complained', by: 'yes' },
    `complained complaint spam spamcomplaint spamcomplaining spamreported markedasspam reportedspam plainte`,
  ],
  [
    { meaning: 'unsubscribed', by: 'no' },
    `subscribed subscriber optin optedin newsletter newsletteroptin optinnewsletter newslettersubscribed subscribedtonewsletter consent
      marketingconsent emailmarketingconsent marketingoptin emailmarketing acceptsmarketing acceptsemailmarketing active enabled
      abonne abonnee inscrit inscrite actif consentement abonnenewsletter inscritnewsletter inscriptionnewsletter acceptenewsletter`,
  ],
  [{ meaning: 'pending', by: 'no' }, `confirmed confirme confirmee`],
]

const indicationOfHeader: ReadonlyMap<string, Indication> = new Map(
  indicatingHeaders.flatMap(([indication, names]) =>
    wordsOf(names).map((name) => [name, indication] as const),
  ),
)

/**
 * What stands before and behind such a name: "Is this subscriber blacklisted", "Date de
 * désabonnement".
 */
const before = /^(?:is|has|been|this|email|mail|global|contact|member|user|subscriber|date|de)/
const behind = /(?:dates?|at|on|time|timestamp|emails?|to|of|from|all|le)$/

/** Longest header that is looked at: each end of a longer one could be shortened very often. */
const headerMax = 100

/** Undefined for a column that says nothing of that kind. */
export function indicationOf(header: string): Indication | undefined {
  // HubSpot has one for each kind of mail.
  const name = normalised(header).replace(/^optedoutofemail.*/, 'optedout')
  if (name.length > headerMax) return undefined
  for (const prefix of shortened(name, before))
    for (const bare of shortened(prefix, behind)) {
      const indication = indicationOfHeader.get(bare)
      if (indication) return indication
    }
  return undefined
}

function shortened(text: string, end: RegExp): string[] {
  const shorter = text.replace(end, '')
  return shorter === text ? [text] : [text, ...shortened(shorter, end)]
}

const noes = new Set(wordsOf('false no n non f faux off'))
const nothings = new Set(wordsOf('null none na nan'))

/** Nothing, and a date of zeros, are neither a yes nor a no. */
export function says(value: string, answer: Indication['by']): boolean {
  if (value === '') return false
  const bare = normalised(value)
  const isNo = bare === '0' || noes.has(bare)
  return answer === 'no' ? isNo : bare !== '' && !isNo && !nothings.has(bare) && !/^0+$/.test(bare)
}
