/** Replies that name a cause, and the sentences that pages print for it. */
import assert from 'node:assert/strict'
import {
  refusalCauseOf,
  refusedAddressIn,
} from '../../src/mail/reports/refusals/find-refusal-cause.ts'
import { fill, texts } from '../../src/ground/texts/texts.ts'
import { refusalReplies } from './refusal-replies.ts'

/** A server replies with a code; Amazon SES puts one before its own words at its SMTP endpoint. */
const asReply = (text: string): string => (/^[45]\d\d/.test(text) ? text : `554 ${text}`)

/** `id`: the row that describes the reply. */
export const replies = Object.entries(refusalReplies).flatMap(([id, output]) =>
  output.map((text) => ({ id, text: asReply(text) })),
)

/** As the texts have it. `text`: the reply; `domain`: the sender's. */
export function sentenceOf(id: string, { text, domain }: { text: string; domain: string }): string {
  const cause = refusalCauseOf(id)
  assert.ok(cause)
  const { what, server, address } = texts.en.refusals
  const filled = fill(what[cause.requirement], {
    provider: cause.provider ?? server,
    domain,
    ip: refusedAddressIn(text) ?? address,
  })
  return filled.charAt(0).toUpperCase() + filled.slice(1)
}
