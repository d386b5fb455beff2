/**
 * Segments, once audiences: a workspace has one list, so there is one entry, everyone subscribed.
 */
import { ApiError } from '../../contract/errors.ts'
import { everyoneId } from '../../contract/subscribers.ts'
import { shapeError } from '../../core/input/shape-error.ts'
import type { ResendRoute } from './answer-resend-call.ts'

export const everyone = {
  object: 'segment',
  id: everyoneId,
  name: 'Everyone subscribed',
  created_at: '1970-01-01T00:00:00.000Z',
}

export const listResendSegments: ResendRoute = {
  scope: 'subscribers:read',
  work: () => Promise.resolve({ body: { object: 'list', has_more: false, data: [everyone] } }),
}

export const getResendSegment: ResendRoute = {
  scope: 'subscribers:read',
  work({ params: { id0: id = '' } }) {
    if (id !== everyone.id) return Promise.reject(new ApiError('not_found', { id }))
    return Promise.resolve({ body: everyone })
  },
}

/** Throws `validation_error` for any segment but the one that the list answers. */
export function refuseOtherSegments(ids: readonly string[], path: string): void {
  if (ids.some((id) => id !== everyone.id))
    throw shapeError([{ path, rule: 'not_supported' }], 'resend_segment')
}
