/** What the pages of the capture mailbox say, in both languages. */
import type { Language } from '../../../contract/errors.ts'
import type { RecipientRow } from '../../../db/messages.ts'
import type { Simulator } from '../../../providers/local-capture.ts'

type Status = RecipientRow['status']

export interface Texts {
  title: string
  allWorkspaces: string
  workspace: string
  show: string
  subject: string
  noSubject: string
  from: string
  to: string
  cc: string
  bcc: string
  replyTo: string
  date: string
  envelope: string
  envelopeLine: (returnPath: string, recipient: string) => string
  recipients: string
  status: Record<Status, string>
  inDoubt: string
  newest: string
  older: string
  pauseRefresh: string
  resumeRefresh: string
  back: string
  message: string
  htmlPart: string
  htmlNote: string
  textPart: string
  nothingToRead: string
  tooLong: string
  unreadable: string
  files: string
  namelessFile: string
  headers: string
  source: string
  download: string
  empty: string
  emptyLead: string
  emptyKey: string
  relayNote: string
  simulators: string
  simulatorsLead: string
  address: string
  whatHappens: string
  simulator: Record<Simulator, string>
  anyOther: string
  loginTitle: string
  loginLead: string
  token: string
  enter: string
  wrongToken: string
  leave: string
  bytes: (count: number) => string
}

const fr: Texts = {
  title: 'Courrier capturé',
  allWorkspaces: 'Tous les espaces',
  workspace: 'Espace de travail',
  show: 'Afficher',
  subject: 'Objet',
  noSubject: '(sans objet)',
  from: 'De',
  to: 'À',
  cc: 'Cc',
  bcc: 'Cci',
  replyTo: 'Répondre à',
  date: 'Date',
  envelope: 'Enveloppe',
  envelopeLine: (returnPath, recipient) => `de ${returnPath} à ${recipient}`,
  recipients: 'Destinataires',
  status: { queued: 'en file', sent: 'remis', delivered: 'distribué', bounced: 'rebond', complained: 'plainte', failed: 'échec' },
  inDoubt: 'sort inconnu',
  newest: 'Les plus récents',
  older: 'Plus anciens',
  pauseRefresh: "Suspendre l'actualisation",
  resumeRefresh: "Reprendre l'actualisation",
  back: 'Tout le courrier',
  message: 'Message',
  htmlPart: 'HTML',
  htmlNote: 'Sans scripts, liens ni images distantes.',
  textPart: 'Texte',
  nothingToRead: "Ce courrier n'a ni texte ni HTML.",
  tooLong: 'La suite est coupée ici : voyez la source.',
  unreadable: "Ce courrier n'a pas pu être lu en détail : voyez la source.",
  files: 'Pièces jointes',
  namelessFile: 'sans nom',
  headers: 'En-têtes',
  source: 'Source',
  download: 'Télécharger (.eml)',
  empty: "Aucun courrier pour l'instant",
  emptyLead: 'Envoyez le premier : il apparaîtra ici, et rien ne quittera cette machine.',
  emptyKey: "La clé d'API a été affichée au premier démarrage. Pour en créer une autre :",
  relayNote: 'Le courrier part par le relais configuré : il ne passe plus par cette boîte.',
  simulators: 'Destinataires simulés',
  simulatorsLead: 'Ces adresses jouent le monde réel ; « +mot » peut suivre le nom, comme bounced+test@simulator.test.',
  address: 'Adresse',
  whatHappens: 'Ce qui se passe',
  simulator: {
    delivered: 'acceptée, puis distribuée',
    bounced: "acceptée, puis rebond : l'adresse est exclue",
    complained: "distribuée, puis plainte : l'adresse est exclue",
    failed: 'acceptée, puis échec sans exclusion',
    deferred: 'refusée deux fois pour un temps, puis distribuée',
    refused: "refusée à l'envoi : l'API répond 502",
    slow: 'acceptée au bout de 5 s',
  },
  anyOther: 'toute autre adresse',
  loginTitle: 'Accès réservé',
  loginLead: "Cette page s'ouvre depuis cette machine, ou avec le jeton de l'opérateur (FACTEUR_OPERATOR_TOKEN).",
  token: "Jeton de l'opérateur",
  enter: 'Entrer',
  wrongToken: "Ce n'est pas le bon jeton.",
  leave: 'Quitter',
  bytes: (count) => inUnits(count, 'fr', ['octets', 'Ko', 'Mo']),
}

const en: Texts = {
  title: 'Captured mail',
  allWorkspaces: 'All workspaces',
  workspace: 'Workspace',
  show: 'Show',
  subject: 'Subject',
  noSubject: '(no subject)',
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  replyTo: 'Reply to',
  date: 'Date',
  envelope: 'Envelope',
  envelopeLine: (returnPath, recipient) => `from ${returnPath} to ${recipient}`,
  recipients: 'Recipients',
  status: {
    queued: 'queued',
    sent: 'sent',
    delivered: 'delivered',
    bounced: 'bounced',
    complained: 'complained',
    failed: 'failed',
  },
  inDoubt: 'in doubt',
  newest: 'Newest',
  older: 'Older',
  pauseRefresh: 'Pause refreshing',
  resumeRefresh: 'Resume refreshing',
  back: 'All mail',
  message: 'Message',
  htmlPart: 'HTML',
  htmlNote: 'Without scripts, links or remote images.',
  textPart: 'Text',
  nothingToRead: 'This mail has neither text nor HTML.',
  tooLong: 'The rest is cut here: see the source.',
  unreadable: 'This mail could not be read in detail: see the source.',
  files: 'Attachments',
  namelessFile: 'without a name',
  headers: 'Headers',
  source: 'Source',
  download: 'Download (.eml)',
  empty: 'No mail yet',
  emptyLead: 'Send the first one: it will appear here, and nothing leaves this machine.',
  emptyKey: 'The API key was shown at the first start. To make another one:',
  relayNote: 'Mail leaves by the relay that is set up: it no longer comes here.',
  simulators: 'Simulated recipients',
  simulatorsLead: 'These addresses play the real world; “+word” may follow the name, as in bounced+test@simulator.test.',
  address: 'Address',
  whatHappens: 'What happens',
  simulator: {
    delivered: 'accepted, then delivered',
    bounced: 'accepted, then bounces: the address is suppressed',
    complained: 'delivered, then complained about: the address is suppressed',
    failed: 'accepted, then fails without suppression',
    deferred: 'refused twice for now, then delivered',
    refused: 'refused at once: the API answers 502',
    slow: 'accepted after 5 s',
  },
  anyOther: 'any other address',
  loginTitle: 'Restricted',
  loginLead: "This page opens on this machine, or with the operator's token (FACTEUR_OPERATOR_TOKEN).",
  token: "Operator's token",
  enter: 'Enter',
  wrongToken: 'This is not the right token.',
  leave: 'Leave',
  bytes: (count) => inUnits(count, 'en', ['bytes', 'KB', 'MB']),
}

export const texts: Record<Language, Texts> = { fr, en }

function inUnits(count: number, language: Language, units: [string, string, string]): string {
  const size = count < 1_000 ? 0 : count < 1_000_000 ? 1 : 2
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: size })
  return `${format.format(count / 1_000 ** size)} ${units[size]}`
}

/** "3 minutes ago" at the greatest unit that fits; of the future, as a clock may be a little ahead, "now". */
export function ago(at: Date, now: Date, language: Language): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1000))
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const [unit, length] = units.find(([, least]) => seconds >= least) ?? (['second', 1] as const)
  return format.format(-Math.floor(seconds / length), unit)
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** A moment as people write it, in UTC: nothing tells the reader's own zone. What is no moment stays as it is. */
export function inWords(moment: string, language: Language): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }).format(at)
}
