/** Why lines of a file were refused, in words. */

const texts: Record<string, string> = {
  duplicate: 'an earlier line of the file has the same address',
  'suppressed.unsubscribe': 'the address is suppressed: it unsubscribed',
  'suppressed.manual': 'the address is suppressed by hand',
  'suppressed.bounce': 'the address is suppressed: it does not exist',
  'suppressed.complaint': 'the address is suppressed: it complained',
  'status.unsubscribed': 'the person unsubscribed: only they can come back, by a form',
  'status.bounced': 'mail to the address bounced',
  'status.complained': 'the person complained about a mail',
  'file.unsubscribed': 'the file itself says that the person unsubscribed',
  'file.bounced': 'the file itself says that mail to the address bounced',
  'file.complained': 'the file itself says that the person complained',
  'email.missing': 'there is no address',
  'email.name': 'the cell holds a name beside the address',
  'cells.too_many': 'there are more cells than columns',
  'cells.text_after_quote': 'something follows a closing quote',
  'tags.too_many': 'there are more than 20 tags',
  'tags.malformed': 'a tag is longer than 60 characters, or holds a control character',
  reason: 'the reason is none of unsubscribe, manual, bounce, complaint',
}

/** Anything else speaks for itself: `email.` and the rule it breaks, a column and `too_long` or `control_character`. */
export function explainReason(reason: string): string {
  const known = texts[reason]
  if (known !== undefined) return known
  const [what, rule] = splitLast(reason)
  if (rule === 'too_long') return `${what} is too long`
  if (rule === 'control_character') return `${what} holds a line break or another control character`
  return `not an address: ${rule.replaceAll('_', ' ')}`
}

function splitLast(reason: string): [string, string] {
  const at = reason.lastIndexOf('.')
  return [reason.slice(0, at), reason.slice(at + 1)]
}

/** The commonest first, as lines for people. */
export function reasonLines(refused: Record<string, number>): [count: number, text: string][] {
  return Object.entries(refused)
    .toSorted(([oneReason, one], [otherReason, other]) => other - one || (oneReason < otherReason ? -1 : 1))
    .map(([reason, count]) => [count, `${reason}: ${explainReason(reason)}`])
}
