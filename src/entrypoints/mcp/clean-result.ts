/**
 * Cleans texts of third parties for an agent that reads them: it removes invisible characters and
 * cuts long texts (security: MCP). Instructions can hide in invisible text: control characters,
 * bidirectional overrides, zero-width letters, and tags and variation selectors that spell words.
 */

/**
 * The longest text that a contract stores, mails excepted; only answers of other servers are
 * longer.
 */
const textMax = 2_000
/** Of a mail's `html` and `text`. */
const contentMax = 20_000

/**
 * Cleans and cuts every text in the body of an answer. The result also has it as JSON, for agents
 * without schemas.
 */
export function cleanResult(body: unknown): { content: unknown; text: string } {
  const text = JSON.stringify(body)
  // Most answers are short and ASCII, where nothing is invisible: JSON escapes control characters.
  if (text.length <= textMax && !/[^ -~]|\\[bfu]/.test(text)) return { content: body, text }
  const content = clean(body, textMax)
  return { content, text: JSON.stringify(content) }
}

function clean(value: unknown, max: number): unknown {
  if (typeof value === 'string') return cut(value.replace(unseen, ''), max)
  if (Array.isArray(value)) return value.map((entry) => clean(entry, max))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      clean(name, max),
      clean(inner, contents.has(name) ? contentMax : textMax),
    ]),
  )
}

const contents = new Set(['html', 'text'])

/**
 * Control and format characters but tab, line feed and carriage return; fillers that show nothing
 * (Unicode: Default_Ignorable_Code_Point). Characters that compose an emoji are visible and stay
 * (UTS #51: ZWJ and presentation sequences).
 */
const unseen =
  /(?![\t\n\r]|(?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}[\p{EMod}\ufe0f]?)\u200d(?=\p{ExtPict}))[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu

/** Cuts between characters, and marks the cut. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const head = text.slice(0, max)
  return `${head.isWellFormed() ? head : head.slice(0, -1)}… [cut: ${text.length} characters in all]`
}
