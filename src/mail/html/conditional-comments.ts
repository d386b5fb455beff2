/**
 * Reads conditional comments, by which authors write one part for Outlook on Windows and another
 * for all others. Outlook skips from an opening whose condition is false to the next `<![endif]`:
 * an opening without its end would hide the rest of the mail.
 *
 * Editors and beautifiers write them in many ways; each is written again in the one that Outlook
 * and browsers read alike:
 * - `<!--[if mso]>…<![endif]-->`: a whole part, which is a comment to all others.
 * - `<!--[if !mso]><!-->`: the opening of a part that all others read; some write `<![if !mso]>`.
 * - `<!--<![endif]-->`: its end; some write `<![endif]>`.
 */

export interface ConditionalComment {
  kind: 'whole' | 'opening' | 'end'
  /** Between `<!--` and `-->`. */
  text: string
}

/**
 * `isDeclaration`: it is written `<!…>`, without dashes. Null if it is none, or one that no mail
 * can hold.
 */
export function readConditional(
  comment: string,
  isDeclaration: boolean,
): ConditionalComment | null {
  const bracket = comment.indexOf(']')
  const condition = readCondition(comment.slice(0, bracket + 1).trim())
  if (condition === null) return readEnd(isDeclaration ? `<!${comment}` : comment)
  const behind = comment.slice(bracket + 1).trimStart()
  if (!isDeclaration && !behind.startsWith('>')) return null
  if (signsOf(behind) === '') return { kind: 'opening', text: `${condition}><!` }
  return readWhole(condition, behind.slice(1))
}

const conditionMax = 200

/** `[if mso]`. Null means no condition. */
function readCondition(written: string): string | null {
  if (written.length > conditionMax || !/^\[\s*if\b/i.test(written)) return null
  const words = written.slice(1, -1).trim().slice(2).trim().split(/\s+/).join(' ').toLowerCase()
  return /^[\w !()&|.]+$/.test(words) ? `[if ${words.replace(/\bie\b/g, 'IE')}]` : null
}

/** Outlook finds the end behind any words of the comment. */
function readEnd(comment: string): ConditionalComment | null {
  const { depth } = readMarks(comment)
  return depth < 0 ? { kind: 'end', text: '<![endif]' } : null
}

/** A part that goes on behind its comment is none. */
function readWhole(condition: string, inside: string): ConditionalComment | null {
  const { depth, last } = readMarks(inside)
  if (depth !== -1 || last === null || signsOf(inside.slice(last.end)) !== '') return null
  const part = inside.slice(0, last.start)
  return isSafe(part) ? { kind: 'whole', text: `${condition}>${part}<![endif]` } : null
}

/** The rest without white space and the signs of comments. */
const signsOf = (text: string): string => text.replace(/[\s<!>-]+/g, '')

const markPattern = /<!(?:--)?\s*\[\s*(?:if\b|(endif)\s*\])/gi

/** `depth`: openings less ends. `last`: the place of the last of either. */
function readMarks(text: string) {
  let depth = 0
  let last: { start: number; end: number } | null = null
  for (const { 0: mark, 1: end, index } of text.matchAll(markPattern)) {
    depth += end === undefined ? 1 : -1
    last = { start: index, end: index + mark.length }
  }
  return { depth, last }
}

/**
 * Nothing looks into a part for Outlook: one that some parser could end earlier, or that holds a
 * program, is no part of a mail.
 */
const isSafe = (part: string): boolean =>
  !/--\s*!?\s*>|<\s*(?:script|iframe|object|embed|form|meta|base)/i.test(part)

/**
 * Finds openings without an end and ends without an opening, of comments in the order of the page.
 */
export function findUnpaired<Comment extends Pick<ConditionalComment, 'kind'>>(
  comments: readonly Comment[],
): Comment[] {
  const unpaired: Comment[] = []
  const open: Comment[] = []
  for (const comment of comments) {
    if (comment.kind === 'opening') open.push(comment)
    else if (open.pop() === undefined) unpaired.push(comment)
  }
  return [...unpaired, ...open]
}
