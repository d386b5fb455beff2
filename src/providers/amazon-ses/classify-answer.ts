/**
 * Classifies the answer of Amazon SES to one message for the ledger (SES v2 API: SendEmail, Errors;
 * AWS: Common Errors).
 */
import type { Outcome } from '../provider.ts'
import type { AwsAnswer } from './call-aws.ts'
import { jsonFields, textOf } from '../../ground/read-json.ts'

type Answered = Extract<AwsAnswer, { kind: 'answered' }>
type Checked = Extract<Outcome, { kind: 'accepted' | 'refused' | 'deferred' | 'in_doubt' }>

/**
 * Errors by name. The operator corrects an error of the whole account (keys, a pause, an identity
 * that is not set up): the mail waits, as with a relay that refuses the login. An error of this
 * mail alone is a refusal. SES never says here that an address does not exist.
 */
const errorClasses: Record<string, 'policy' | 'other' | 'later' | 'slower'> = {
  MessageRejected: 'policy',
  BadRequestException: 'other',
  ValidationException: 'other',
  InvalidParameterValue: 'other',
  RequestEntityTooLarge: 'other',
  TooManyRequestsException: 'slower',
  LimitExceededException: 'slower',
  Throttling: 'slower',
  ThrottlingException: 'slower',
  RequestLimitExceeded: 'slower',
  ServiceUnavailable: 'slower',
  AccountSuspendedException: 'later',
  SendingPausedException: 'later',
  MailFromDomainNotVerifiedException: 'later',
  NotFoundException: 'later',
  InternalFailure: 'later',
  InternalServiceErrorException: 'later',
}

export function classifyAnswer(answer: Answered): Checked {
  const { status, type, message, json } = answer
  const response = [type ?? `HTTP ${status}`, message].filter((part) => part !== '').join(': ')
  if (status === 200) {
    const id = textOf(jsonFields(json).MessageId)
    // The answer is not from SES, or its end is lost: the message may be on its way.
    return id === null
      ? { kind: 'in_doubt', phase: 'dot', response: 'HTTP 200 without a MessageId' }
      : { kind: 'accepted', response: `200 ${id}` }
  }
  const verdict = (type === null ? undefined : errorClasses[type]) ?? byStatus(status, type)
  switch (verdict) {
    case 'policy':
    case 'other':
      return { kind: 'refused', reason: verdict, phase: 'replied', code: null, response }
    case 'later':
    case 'slower':
      return {
        kind: 'deferred',
        phase: 'replied',
        code: status,
        response,
        slower: verdict === 'slower',
      }
    case 'doubt':
      return { kind: 'in_doubt', phase: 'dot', response }
    default:
      return verdict satisfies never
  }
}

/**
 * Classifies an error outside the table, or without a name: then something between SES and us
 * answered.
 */
function byStatus(status: number, type: string | null): 'other' | 'later' | 'slower' | 'doubt' {
  if (status === 413) return 'other'
  if (status === 429 || status === 503) return 'slower'
  // 502 and 504 of a gateway: the service behind it may have taken the message.
  if (status >= 500 && type === null) return 'doubt'
  return 'later'
}
