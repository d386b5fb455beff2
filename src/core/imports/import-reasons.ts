/** Why lines of a file were refused, in words of both languages. */
import type { Language } from '../../contract/errors.ts'

type Words = Record<Language, string>

const texts: Record<string, Words> = {
  duplicate: {
    en: 'an earlier line of the file has the same address',
    fr: 'une ligne précédente du fichier porte la même adresse',
  },
  'suppressed.unsubscribe': {
    en: 'the address is suppressed: it unsubscribed',
    fr: "l'adresse est exclue : la personne s'est désinscrite",
  },
  'suppressed.manual': { en: 'the address is suppressed by hand', fr: "l'adresse a été exclue à la main" },
  'suppressed.bounce': { en: 'the address is suppressed: it does not exist', fr: "l'adresse est exclue : elle n'existe pas" },
  'suppressed.complaint': {
    en: 'the address is suppressed: it complained',
    fr: "l'adresse est exclue : la personne s'est plainte",
  },
  'status.unsubscribed': {
    en: 'the person unsubscribed: only they can come back, by a form',
    fr: "la personne s'est désinscrite : elle seule peut revenir, par un formulaire",
  },
  'status.bounced': { en: 'mail to the address bounced', fr: 'les messages à cette adresse sont revenus' },
  'status.complained': { en: 'the person complained about a mail', fr: "la personne s'est plainte d'un message" },
  'file.unsubscribed': {
    en: 'the file itself says that the person unsubscribed',
    fr: "le fichier lui-même dit que la personne s'est désinscrite",
  },
  'file.bounced': {
    en: 'the file itself says that mail to the address bounced',
    fr: 'le fichier lui-même dit que les messages à cette adresse sont revenus',
  },
  'file.complained': {
    en: 'the file itself says that the person complained',
    fr: "le fichier lui-même dit que la personne s'est plainte",
  },
  'email.missing': { en: 'there is no address', fr: "il n'y a pas d'adresse" },
  'email.name': { en: 'the cell holds a name beside the address', fr: "la cellule contient un nom à côté de l'adresse" },
  'cells.too_many': { en: 'there are more cells than columns', fr: 'il y a plus de cellules que de colonnes' },
  'cells.text_after_quote': { en: 'something follows a closing quote', fr: 'quelque chose suit un guillemet fermant' },
  'tags.too_many': { en: 'there are more than 20 tags', fr: 'il y a plus de 20 étiquettes' },
  'tags.malformed': {
    en: 'a tag is longer than 60 characters, or holds a control character',
    fr: 'une étiquette dépasse 60 caractères ou contient un caractère de contrôle',
  },
  reason: {
    en: 'the reason is none of unsubscribe, manual, bounce, complaint',
    fr: "le motif n'est ni unsubscribe, ni manual, ni bounce, ni complaint",
  },
}

/** The rules of an address that lists break (contract/address.ts); others are told by their name. */
const addressFaults: Record<string, Words> = {
  missing_at: { en: 'there is no @', fr: "il n'y a pas de @" },
  more_than_one_address: { en: 'it is more than one', fr: 'il y en a plusieurs' },
  empty_local_part: { en: 'nothing stands before the @', fr: 'il manque ce qui précède le @' },
  local_part_character: {
    en: 'a character before the @ cannot be there',
    fr: 'un caractère ne peut pas précéder le @',
  },
  local_part_dot: {
    en: 'the part before the @ begins or ends with a dot, or has two in a row',
    fr: 'la partie avant le @ commence ou finit par un point, ou en a deux de suite',
  },
  local_part_too_long: { en: 'the part before the @ is too long', fr: 'la partie avant le @ est trop longue' },
  empty_domain: { en: 'nothing follows the @', fr: 'rien ne suit le @' },
  domain_without_dot: { en: 'its domain has no dot', fr: "son domaine n'a pas de point" },
  domain_character: { en: 'its domain has a character that cannot be there', fr: 'son domaine a un caractère impossible' },
}

/** Anything else speaks for itself: `email.` and the rule it breaks, a column and `too_long` or `control_character`. */
export function explainReason(reason: string): Words {
  const known = texts[reason]
  if (known !== undefined) return known
  const [what, rule] = splitLast(reason)
  if (rule === 'too_long') return { en: `${what} is too long`, fr: `${what} est trop long` }
  if (rule === 'control_character') {
    return {
      en: `${what} holds a line break or another control character`,
      fr: `${what} contient un retour à la ligne ou un autre caractère de contrôle`,
    }
  }
  const fault = addressFaults[rule] ?? { en: rule.replaceAll('_', ' '), fr: rule.replaceAll('_', ' ') }
  return { en: `not an address: ${fault.en}`, fr: `ce n'est pas une adresse : ${fault.fr}` }
}

function splitLast(reason: string): [string, string] {
  const at = reason.lastIndexOf('.')
  return [reason.slice(0, at), reason.slice(at + 1)]
}

/** The commonest first, as lines for the operator. */
export function reasonLines(refused: Record<string, number>): [count: number, text: string][] {
  return Object.entries(refused)
    .toSorted(([oneReason, one], [otherReason, other]) => other - one || (oneReason < otherReason ? -1 : 1))
    .map(([reason, count]) => [count, `${reason}: ${explainReason(reason).en}`])
}
