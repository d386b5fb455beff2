/**
 * Expands the macros of SPF records (RFC 7208 7): few records have them, and those that have are
 * nothing without.
 */
import { isIP } from 'node:net'

export interface MacroValues {
  /** Of the record that is being read. */
  domain: string
  address: string
  sender: string
}

/** Null when a macro cannot be read. */
export function expandMacros(text: string, values: MacroValues): string | null {
  let broken = false
  const expanded = text.replace(
    /%(?:\{([a-z])(\d*)(r?)([.\-+,/_=]*)\}|(.)?)/gi,
    (
      _whole,
      letter?: string,
      digits?: string,
      reverse?: string,
      delimiters?: string,
      escape?: string,
    ) => {
      if (letter !== undefined) {
        const value = valueOf(letter.toLowerCase(), values)
        broken ||= value === null
        return transform(value ?? '', {
          keep: Number(digits),
          reverse: reverse !== '',
          delimiters: delimiters || '.',
        })
      }
      if (escape === '%') return '%'
      if (escape === '_') return ' '
      if (escape === '-') return '%20'
      broken = true
      return ''
    },
  )
  return broken ? null : expanded
}

function valueOf(letter: string, { domain, address, sender }: MacroValues): string | null {
  const at = sender.lastIndexOf('@')
  switch (letter) {
    case 's':
      return sender
    case 'l':
      return sender.slice(0, at)
    case 'o':
      return sender.slice(at + 1)
    case 'd':
    case 'h':
      return domain
    case 'i':
      return isIP(address) === 6 ? nibbles(address) : address
    case 'v':
      return isIP(address) === 6 ? 'ip6' : 'in-addr'
    default:
      return null
  }
}

function transform(
  value: string,
  how: { keep: number; reverse: boolean; delimiters: string },
): string {
  const parts = value.split(new RegExp(`[${how.delimiters.replace(/[-\]\\^]/g, '\\$&')}]`))
  if (how.reverse) parts.reverse()
  return parts.slice(how.keep > 0 ? -how.keep : 0).join('.')
}

/** Hexadecimal digits with dots between (RFC 7208 7.3). */
function nibbles(address: string): string {
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = host.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle =
    tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...middle, ...right].flatMap((group) => [...group.padStart(4, '0')]).join('.')
}
