/**
 * A template's bytes laid out once: static parts with slots for tokens, and between them the values
 * of varying length.
 */
import type { PersonalTokens } from '../merge/compiled-campaign.ts'
import type { Piece, MarkContext } from '../merge/expand-marks.ts'
import type { MergeTag } from '../merge/merge-tags.ts'
import { columnMax, encodePiece } from '../mime/quoted-printable.ts'

/**
 * Characters of tokens (link-tokens.ts, verp.ts): all fit a line, none needs encoding, so a token
 * is bytes at a known place.
 */
export const tokenLengths = { unsubscribe: 64, view: 64, track: 64, mailto: 63 } satisfies Record<
  keyof PersonalTokens,
  number
>

export interface Stretch {
  /** Tokens are missing in it, as many bytes as they have. */
  bytes: Buffer
  holes: Array<{ at: number; token: keyof PersonalTokens }>
  /** The value after the stretch. */
  value: Value | null
}

export interface Value {
  tag: MergeTag
  context: MarkContext
  /**
   * The value's column on its line. The stretch behind it begins with a soft break, so nothing else
   * depends on its length.
   */
  column: number
}

export function createLayout() {
  const stretches: Stretch[] = []
  let text = ''
  let holes: Stretch['holes'] = []
  const addToken = (token: keyof PersonalTokens): void => {
    holes.push({ at: text.length, token })
    text += ' '.repeat(tokenLengths[token])
  }
  const close = (value: Value | null): void => {
    stretches.push({ bytes: Buffer.from(text, 'latin1'), holes, value })
    text = ''
    holes = []
  }
  return {
    /** Bytes as they are, such as headers and boundaries: a value cannot be part of them. */
    addRaw(pieces: readonly Piece[]): void {
      for (const piece of pieces) {
        if (typeof piece === 'string') text += piece
        else if ('token' in piece) addToken(piece.token)
      }
    },
    /** A body in quoted-printable; ends at the start of a line when its last piece does. */
    addEncoded(pieces: readonly Piece[]): void {
      let column = 0
      for (const piece of pieces) {
        if (typeof piece === 'string') {
          const encoded = encodePiece(piece, column)
          text += encoded.text
          column = encoded.column
        } else if ('token' in piece) {
          if (column + tokenLengths[piece.token] > columnMax) {
            text += softBreak
            column = 0
          }
          addToken(piece.token)
          column += tokenLengths[piece.token]
        } else {
          close({ ...piece, column })
          text += softBreak
          column = 0
        }
      }
    },
    finish(): Stretch[] {
      close(null)
      return stretches
    },
  }
}

const softBreak = '=\r\n'
