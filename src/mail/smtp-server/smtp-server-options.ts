/** What our two SMTP servers, for mail that comes back and for submission, have in common. */
import type { SMTPServerOptions } from 'smtp-server'
import { answerHalfClosed } from './answer-half-closed.ts'

export const smtpServerOptions = {
  disableReverseLookup: true,
  rejectOversized: true,
  maxCommandLength: 4_096,
  logger: false,
  allowHalfOpen: true,
  onSecure(socket, _session, answer) {
    answerHalfClosed(socket)
    answer()
  },
} satisfies SMTPServerOptions
