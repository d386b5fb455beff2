/** A visitor of the public pages without a browser: reads a page, presses its button. */
import assert from 'node:assert/strict'

export interface VisitedPage {
  status: number
  headers: Headers
  /** As it came. */
  markup: string
  /** Its visible text, without tags. */
  text: string
  /** The heading. */
  title: string
  lang: string
  /** Where its form goes and what it sends by itself; null where there is none. */
  form: { action: string; values: Record<string, string> } | null
}

export async function open(
  base: string,
  path: string,
  options: RequestInit = {},
): Promise<VisitedPage> {
  const response = await fetch(new URL(path, base), { redirect: 'manual', ...options })
  const markup = await response.text()
  const action = /<form method="post" action="([^"]*)"/.exec(markup)?.[1]
  return {
    status: response.status,
    headers: response.headers,
    markup,
    text: unescape(markup),
    title: unescape(/<h1>([^<]*)<\/h1>/.exec(markup)?.[1] ?? ''),
    lang: /<html lang="(\w+)">/.exec(markup)?.[1] ?? '',
    form: action === undefined ? null : { action, values: inputsOf(markup) },
  }
}

/** Sends the page's form with what it holds, and what the visitor typed. */
export async function press(
  base: string,
  page: VisitedPage,
  typed: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<VisitedPage> {
  assert.ok(page.form, `The page has no form: ${page.text}`)
  return open(base, page.form.action, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ ...page.form.values, ...typed }),
  })
}

function inputsOf(markup: string): Record<string, string> {
  const inputs = [...markup.matchAll(/<input\b[^>]*>/g)].map(([input]) => [
    attribute(input, 'name'),
    attribute(input, 'value'),
  ])
  return Object.fromEntries(inputs)
}

const attribute = (tag: string, name: string): string =>
  unescape(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

const unescape = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
