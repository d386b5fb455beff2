/** Checks a captured mail: facts that decide whether it is shown whole, and lands where it should. */
import type { MailChecks } from '../../contract/captured.ts'
import { domainOf } from '../domain-of.ts'
import type { ReadHeaderLine } from '../presentation/read-header-lines.ts'
import type { ReadMail } from './read-mail.ts'

export function checkCaptured(
  { html, images }: Pick<ReadMail, 'html' | 'images'>,
  { headers, from }: { headers: readonly ReadHeaderLine[]; from: string },
): MailChecks {
  const valuesOf = (name: string): string[] =>
    headers.flatMap((line) => (line.name.toLowerCase() === name ? [line.value] : []))
  const domains = valuesOf('dkim-signature').flatMap((value) => signedBy(value) ?? [])
  const aligned = domains.find((domain) => isAtOrAbove(domain, domainOf(from).toLowerCase()))
  const hasList = valuesOf('list-unsubscribe').length > 0
  return {
    html_bytes: html === null ? null : Buffer.byteLength(html),
    images: images.all,
    images_without_alt: images.withoutAlt,
    dkim_domain: aligned ?? domains[0] ?? null,
    dkim_aligned: aligned !== undefined,
    list_unsubscribe: hasList,
    one_click: hasList && valuesOf('list-unsubscribe-post').length > 0,
  }
}

/** The `d=` tag of a signature (RFC 6376 3.5). */
const signedBy = (value: string): string | null =>
  value
    .split(';')
    .map((tag) => tag.trim())
    .find((tag) => tag.startsWith('d='))
    ?.slice(2)
    .trim()
    .toLowerCase() ?? null

const isAtOrAbove = (domain: string, own: string): boolean =>
  own === domain || own.endsWith(`.${domain}`)
