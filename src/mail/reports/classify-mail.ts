/**
 * Says how the service takes a mail that came back: what `facteur bounces` prints of each mail of a
 * folder.
 */
import type { BounceClass } from '../../contract/emails.ts'
import { bounceClassOf } from './classify-bounce.ts'
import { readReturnedMail, type ReturnedMail } from './read-returned-mail.ts'

/**
 * `none`: no report at all. `unreadable`: beyond the limits of the parser, or a file that cannot be
 * read.
 */
export type MailClass =
  | BounceClass
  | 'delayed'
  | 'delivered'
  | 'relayed'
  | 'unread'
  | Extract<ReturnedMail['kind'], 'complaint' | 'opt-out' | 'automatic'>
  | 'none'
  | 'unreadable'

export interface ClassifiedMail {
  class: MailClass
  /** Enhanced status code, or else the reply code. Null if there is none. */
  code: string | null
  /** The words of the server, or how the mail begins. Null if there is none. */
  reason: string | null
}

/**
 * `file`: a mail as programs store it, with any line ends and perhaps the line of a mailbox file
 * before it.
 */
export async function classifyMail(file: Buffer): Promise<ClassifiedMail> {
  try {
    return classOf(await readReturnedMail(asSent(file)))
  } catch (error) {
    return {
      class: 'unreadable',
      code: null,
      reason: error instanceof Error ? error.message : String(error),
    }
  }
}

/** RFC 5321 2.3.8: lines end in CRLF on their way. */
const asSent = (file: Buffer): Buffer =>
  Buffer.from(
    file
      .toString('latin1')
      .replace(/^From [^\n]*\n/, '')
      .replaceAll(/\r\n?|\n/g, '\r\n'),
    'latin1',
  )

function classOf(mail: ReturnedMail): ClassifiedMail {
  switch (mail.kind) {
    case 'status': {
      const { action, code, detail } = mail
      return {
        class: action === 'failed' ? bounceClassOf(code, detail ?? '') : action,
        code,
        reason: detail,
      }
    }
    case 'complaint':
    case 'opt-out':
      return { class: mail.kind, code: null, reason: mail.type }
    case 'automatic':
      return { class: 'automatic', code: null, reason: null }
    case 'unread':
      return { class: 'unread', code: null, reason: mail.detail }
    case 'other':
      return { class: 'none', code: null, reason: null }
  }
}
