/** What the page around the reference says, in both languages; the reference itself is in English. */
import type { Language } from '../../../contract/errors.ts'

interface Texts {
  title: string
  contents: string
  language: string
  key: string
  keyNote: string
  examples: string
  tryIt: string
  send: string
  /** Asked before a call that cannot be taken back. */
  sure: string
  path: string
  query: string
  headers: string
  body: string
  asText: string
  unanswered: string
}

const fr: Texts = {
  title: "Référence de l'API",
  contents: 'Sommaire',
  language: 'La référence est en anglais.',
  key: "Clé d'API",
  keyNote: "Elle reste dans cette page : rien n'est enregistré, et elle n'est envoyée qu'à ce serveur.",
  examples: 'Exemples',
  tryIt: 'Essayer',
  send: 'Envoyer la requête',
  sure: "Cet appel agit pour de bon sur l'espace de travail et ne peut pas être annulé. L'envoyer ?",
  path: 'Chemin',
  query: 'Paramètres',
  headers: 'En-têtes',
  body: 'Corps',
  asText: 'En texte brut',
  unanswered: 'Aucune réponse : le serveur est-il toujours là ?',
}

const en: Texts = {
  title: 'API reference',
  contents: 'Contents',
  language: '',
  key: 'API key',
  keyNote: 'It stays in this page: nothing is stored, and it is sent to this server only.',
  examples: 'Examples',
  tryIt: 'Try it',
  send: 'Send the request',
  sure: 'This call really acts on the workspace and cannot be taken back. Send it?',
  path: 'Path',
  query: 'Query',
  headers: 'Headers',
  body: 'Body',
  asText: 'As plain text',
  unanswered: 'No answer: is the server still there?',
}

export const texts: Record<Language, Texts> = { fr, en }
