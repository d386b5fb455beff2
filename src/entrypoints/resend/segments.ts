/**
 * Segments, once audiences: a workspace has one list, so there is one entry, everyone subscribed.
 */
import { ApiError } from '../../contract/errors.ts'
import { shapeError } from '../../core/input/shape-error.ts'
import type { ResendRoute } from './answer-resend-call.ts'

/** The same in every workspace: it names nothing that one of them has alone. */
export const everyone = {
  object: 'segment',
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Everyone subscribed',
  created_at: '1970-01-01T00:00:00.000Z',
}

export const listSegments: ResendRoute = {
  scope: 'subscribers:read',
  work: () => Promise.resolve({ body: { object: 'list', has_more: false, data: [everyone] } }),
}

export const getSegment: ResendRoute = {
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
