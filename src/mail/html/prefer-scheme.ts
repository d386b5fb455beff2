/**
 * Renders a page in its light or dark colours, whatever the browser prefers (Media Queries 5,
 * 12.5).
 */

/**
 * Answers media queries in the page's style sheets, and sets the scheme of elements without
 * colours.
 */
export function preferScheme(html: string, scheme: 'light' | 'dark'): string {
  const answered = html
    .split(/(?<=<\/style>)/i)
    .map((part) => answerQueries(part, scheme))
    .join('')
  return answered.replace(
    /<\/head>/i,
    `<style>:root{color-scheme:${scheme}!important}</style>\n</head>`,
  )
}

/** `part` ends with its style sheet. */
function answerQueries(part: string, scheme: 'light' | 'dark'): string {
  const begin = part.search(/<style[^<>]*>/i)
  if (begin === -1) return part
  const sheet = part
    .slice(begin)
    .replace(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi, (_query, requested: string) =>
      // These conditions are true and false, and may replace the query anywhere.
      requested.toLowerCase() === scheme ? '(min-width:0)' : '(width<0px)',
    )
  return part.slice(0, begin) + sheet
}
