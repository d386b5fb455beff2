/** Defines the results of a batch while it is worked on, and presents them. */
import {
  ApiError,
  errorBody,
  errorKinds,
  type ErrorCode,
  type ErrorDetails,
} from '../../../../contract/errors.ts'
import type {
  SubscriberBatch,
  SubscriberBatchResult,
} from '../../../../contract/subscriber-batch.ts'
import type { SubscriberStatus } from '../../../../contract/subscribers.ts'
import type { CallContext } from '../../../context.ts'

/** The result of an entry. It names no address: a contact who is erased leaves none behind. */
export type EntryResult =
  | {
      result: 'created' | 'updated'
      id: string
      status: SubscriberStatus
      /** When the request to confirm leaves, RFC 3339. Null if none does. */
      confirmationAt: string | null
    }
  | { result: 'refused'; code: ErrorCode; details: ErrorDetails }

/** The results in the order of the entries, and the pace that confirmations have. */
export interface BatchResults {
  results: EntryResult[]
  perMinute: number
}

/** Anything but an expected refusal is a failure of the whole call. */
export function refusedEntry(error: unknown): EntryResult {
  if (!(error instanceof ApiError)) throw error
  const { email: _named, ...details } = error.details
  return { result: 'refused', code: error.code, details }
}

/** `emails`: the address of each entry; null where it has none that can be read. */
export function presentBatch(
  { language }: Pick<CallContext, 'language'>,
  { emails, batch }: { emails: (string | null)[]; batch: BatchResults },
): SubscriberBatch {
  const { results, perMinute } = batch
  const counted = (result: EntryResult['result']): number =>
    results.filter((each) => each.result === result).length
  const times = results.flatMap((each) =>
    each.result !== 'refused' && each.confirmationAt !== null ? [each.confirmationAt] : [],
  )
  return {
    data: results.map((each, index) => presentResult(language, emails[index] ?? null, each)),
    created: counted('created'),
    updated: counted('updated'),
    refused: counted('refused'),
    confirmations: {
      sent: times.length,
      last_at: times.toSorted().at(-1) ?? null,
      per_minute: perMinute,
    },
  }
}

function presentResult(
  language: CallContext['language'],
  email: string | null,
  entry: EntryResult,
): SubscriberBatchResult {
  const shared = { object: 'subscriber', email, result: entry.result } as const
  if (entry.result !== 'refused')
    return {
      ...shared,
      ...{ id: entry.id, status: entry.status, confirmation_at: entry.confirmationAt, error: null },
    }
  const { code, details } = entry
  const named = { ...(email !== null && { email }), ...details }
  const { error } = errorBody(code, named, language, errorKinds[code].status)
  const { email: _email, ...shown } = error.details
  return {
    ...shared,
    ...{ id: null, status: null, confirmation_at: null, error: { ...error, details: shown } },
  }
}
