/** Reads the address of a file to fetch, and the name that it gives the file. */
import { forbiddenPattern } from '../../ground/address.ts'
import { shapeError } from '../input/shape-error.ts'

/** As long as `filename` may be. */
const nameMax = 255

/**
 * `name`: null where the address has none that can be shown. Throws `validation_error` at `path`
 * for another scheme, a user or a password. The address of the host is checked as it is called.
 */
export function readFileUrl(text: string, path: string): { href: string; name: string | null } {
  const url = URL.parse(text)
  if (!url || url.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw shapeError([{ path, rule: 'https_url' }])
  url.hash = ''
  return { href: url.href, name: nameOf(url) }
}

/** The last segment of the path, decoded; its end where it is too long, with its ending. */
function nameOf({ pathname }: URL): string | null {
  const segment = decode(pathname.split('/').at(-1) ?? '')
  const name = segment.split(/[/\\]/).at(-1) ?? ''
  if (name === '' || forbiddenPattern.test(name)) return null
  return [...name].slice(-nameMax).join('')
}

/** A segment that is not percent-encoded UTF-8 stays as it is. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
