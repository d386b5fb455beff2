/** Decodes the bytes of a text by its charset, as programs mean it rather than as they say it. */
import { isUtf8 } from 'node:buffer'

/**
 * Never throws. A charset that is absent, unknown or only ASCII is UTF-8 where the bytes are, and
 * windows-1252 otherwise. PostgreSQL stores no U+0000: readers get the sign for what is no
 * character.
 */
export function decodeCharset(bytes: Uint8Array, charset: string | null): string {
  return decoderOf(bytes, charset?.trim().toLowerCase() ?? '')
    .decode(bytes)
    .replaceAll('\0', '\uFFFD')
}

const vague = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968', 'unknown-8bit', 'x-unknown'])

function decoderOf(bytes: Uint8Array, charset: string): InstanceType<typeof TextDecoder> {
  if (!vague.has(charset))
    try {
      return new TextDecoder(charset, { ignoreBOM: true })
    } catch {
      // As if it was absent.
    }
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252', { ignoreBOM: true })
}
