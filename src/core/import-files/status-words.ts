/**
 * What files of other products say of a contact, in English and French: words of a status column, and columns that say by a date
 * or a yes that the contact left (semantics 7). Sources: the exports of Mailchimp, listmonk, Resend, Sendy, Brevo, HubSpot, Kit,
 * Keila, MailerLite, Klaviyo, Campaign Monitor, and our own.
 */

import { statusMeaningNames as meanings } from '../../contract/workspace/imports.ts'

/** The last three: the contact left, and no import subscribes them. */
export type StatusMeaning = (typeof meanings)[number]
export type Departure = Exclude<StatusMeaning, 'subscribed' | 'pending'>

export const isMeaning = (text: string): text is StatusMeaning => (meanings as readonly string[]).includes(text)

export const isDeparture = (meaning: StatusMeaning): meaning is Departure => meaning !== 'subscribed' && meaning !== 'pending'

/** Without case, accents, spaces and punctuation, so that "Désabonné(e)" and `opted_out` are `desabonnee` and `optedout`. */
export const normalised = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean)

const words: Record<StatusMeaning, string> = {
  subscribed: `subscribed active enabled confirmed optin optedin subscriber abonne abonnee inscrit inscrite actif active confirme confirmee`,
  pending: `pending unconfirmed notconfirmed waiting awaitingconfirmation enattente nonconfirme nonconfirmee aconfirmer`,
  unsubscribed: `unsubscribed unsubscribe unsub optout optedout notsubscribed nonsubscribed neversubscribed blocklisted blacklisted
    blocked disabled cancelled canceled removed deleted archived suppressed left donotcontact donotemail donotmail
    desabonne desabonnee desinscrit desinscrite nonabonne nonabonnee noninscrit noninscrite bloque bloquee listenoire supprime
    supprimee resilie resiliee annule annulee archive archivee desactive desactivee parti partie`,
  bounced: `bounced bounce hardbounced hardbounce cleaned invalid unreachable undeliverable invalide injoignable rebond nettoye nettoyee`,
  complained: `complained complaint spam markedasspam markedspam spamcomplaint reportedspam reportedasspam junk abuse
    plainte signalecommespam marquecommespam indesirable`,
}

const meaningOfWord: ReadonlyMap<string, StatusMeaning> = new Map(
  meanings.flatMap((meaning) => wordsOf(words[meaning]).map((word) => [word, meaning] as const)),
)

/** Undefined for a word that no product is known to write. */
export const meaningOf = (word: string): StatusMeaning | undefined => meaningOfWord.get(normalised(word))

/** Names of columns that hold such words. */
const statusHeaders = new Set(
  wordsOf(`status statut subscriptionstatus subscriberstatus emailstatus contactstatus memberstatus liststatus newsletterstatus
    consentstatus optinstatus emailsubscriptionstatus emailmarketingstatus marketingstatus statutabonnement statutdabonnement
    statutdelabonnement statutabonne statutducontact statutemail statutmarketing etatdelabonnement etatabonnement`),
)

export const isStatusHeader = (header: string): boolean => statusHeaders.has(normalised(header))

/** Names of columns in which a date or a yes says that the contact left. */
const departureHeaders: Record<Departure, string> = {
  unsubscribed: `unsubtime unsubscribetime unsubscribed unsubscribedat unsubscribedon unsubscribedate unsubscribeddate dateunsubscribed
    unsubscribedfromallemail unsubscribedfromallemails optout optoutdate optedout optedoutat optedoutofemail optedoutofemails emailoptout
    hasoptedoutofemail emailoptedout emailblacklisted emailblocklisted blacklisted blocklisted cancelledat canceledat donotemail
    donotcontact suppressed desabonne desabonnee desabonnele datedesabonnement datededesabonnement desinscrit desinscrite desinscritle
    datedesinscription datededesinscription listenoire`,
  bounced: `cleantime cleaned cleanedat bounced bouncedat bouncedate hardbounced hardbouncedat hardbouncedate rebond rebondle`,
  complained: `complained complainedat complaintdate spam markedasspam spamreportedat reportedspam spamcomplaint plainte`,
}

const departureOfHeader: ReadonlyMap<string, Departure> = new Map(
  Object.entries(departureHeaders).flatMap(([meaning, names]) =>
    wordsOf(names).map((name) => [name, meaning as Departure] as const),
  ),
)

/** Undefined for a column that says nothing of that kind. */
export const departureOf = (header: string): Departure | undefined => departureOfHeader.get(normalised(header))

const noes = new Set(wordsOf('0 false no n non f faux null none na nan'))

/** Whether a cell of such a column says yes: anything but nothing, a no, or a date of zeros. */
export function saysYes(cell: string): boolean {
  const bare = normalised(cell)
  return bare !== '' && !noes.has(bare) && !/^0+$/.test(bare)
}
