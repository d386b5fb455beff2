/**
 * Divides SQL text: files into statements, statements into parts; texts and bodies in quotes are
 * left whole.
 */

/** Comments, texts, quoted bodies, and the rest one character at a time. */
const tokens = /--[^\n]*|'(?:[^']|'')*'|\$(\w*)\$[^]*?\$\1\$|[^]/g

/** The statements of a file, without comments and without `;`. A body in `$$` keeps its own. */
export function statementsOf(text: string): string[] {
  const statements: string[] = []
  let open = ''
  for (const [token] of text.matchAll(tokens)) {
    if (token.startsWith('--')) continue
    if (token !== ';') open += token
    else {
      statements.push(open.trim())
      open = ''
    }
  }
  return [...statements, open.trim()].filter((statement) => statement !== '')
}

/** A statement as one line in lower case, with its texts and bodies left out: `''` and `$$`. */
export function shapeOf(statement: string): string {
  const plain = statement.replaceAll(tokens, (token) =>
    token.startsWith('--')
      ? ' '
      : token.length > 1 && token.startsWith("'")
        ? "''"
        : token.length > 1
          ? ' $$ '
          : token,
  )
  return plain.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim().toLowerCase()
}

/** The texts in quotes of a statement, without the quotes. */
export function fragmentsOf(statement: string): string[] {
  return [...statement.matchAll(tokens)].flatMap(([token]) =>
    token.length > 1 && token.startsWith("'") ? [token.slice(1, -1).replaceAll("''", "'")] : [],
  )
}

/** The parts between commas outside of parentheses. */
export function topLevelParts(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let open = ''
  for (const letter of text) {
    if (letter === '(') depth++
    if (letter === ')') depth--
    if (letter !== ',' || depth > 0) open += letter
    else {
      parts.push(open.trim())
      open = ''
    }
  }
  return [...parts, open.trim()]
}
