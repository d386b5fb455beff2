/**
 * The paths that are Resend's alone, so that its unmodified SDKs find here what they ask for: each
 * call is built by operations of ours, or refused with a sentence that names our way.
 */
import { ApiError } from '../../contract/errors.ts'
import type { Hint } from '../../contract/hints.ts'
import { refusedResendCalls } from '../../contract/reference/resend-calls.ts'
import type { Service } from '../../core/context.ts'
import type { EntryPoints } from '../../core/dispatch/entry-points.ts'
import { answerResendCall, type ResendRoute } from './answer-resend-call.ts'
import { listBroadcastLinks, listBroadcastRecipients } from './broadcast-results.ts'
import {
  answerBroadcast,
  cancelBroadcast,
  createBroadcast,
  duplicateBroadcast,
  listBroadcasts,
  removeBroadcast,
  sendBroadcast,
  updateBroadcast,
} from './broadcasts.ts'
import {
  createContact,
  answerContact,
  listContacts,
  removeContact,
  updateContact,
} from './contacts.ts'
import { checkResendDomain } from './domains.ts'
import { getLog, listLogs } from './logs.ts'
import { getResendSegment, listResendSegments } from './segments.ts'
import { rotateSigningSecret } from './webhooks.ts'
import {
  addSuppressions,
  answerSuppression,
  createSuppression,
  listSuppressions,
} from './suppressions.ts'

export function addResendRoutes(entryPoints: EntryPoints, service: Service): void {
  const parts = { entryPoints, service }
  for (const [request, route] of Object.entries(builtCalls)) {
    const [method = '', path = ''] = request.split(' ')
    entryPoints.route(method, numbered(`/api/v1${path}`), (incoming) =>
      answerResendCall(parts, route, incoming),
    )
  }
  for (const { request, way } of refusedResendCalls) {
    const [method = '', path = ''] = request.split(' ')
    const address = { method, path: `/api/v1${path}` }
    const route = refusedCall(address, way)
    entryPoints.route(method, numbered(address.path), (incoming) =>
      answerResendCall(parts, route, incoming),
    )
  }
}

/** The calls on Resend's own paths, by the requests of the table. */
export const builtCalls: Record<string, ResendRoute> = {
  'GET /segments': listResendSegments,
  'GET /segments/{id}': getResendSegment,
  'GET /audiences': listResendSegments,
  'GET /audiences/{id}': getResendSegment,
  'POST /contacts': createContact,
  'POST /audiences/{id}/contacts': createContact,
  'GET /contacts': listContacts,
  'GET /segments/{id}/contacts': listContacts,
  'GET /audiences/{id}/contacts': listContacts,
  'GET /contacts/{id}': answerContact,
  'GET /audiences/{id}/contacts/{id}': answerContact,
  'PATCH /contacts/{id}': updateContact,
  'PATCH /audiences/{id}/contacts/{id}': updateContact,
  'DELETE /contacts/{id}': removeContact,
  'DELETE /audiences/{id}/contacts/{id}': removeContact,
  'POST /broadcasts': createBroadcast,
  'GET /broadcasts': listBroadcasts,
  'GET /broadcasts/{id}': answerBroadcast,
  'PATCH /broadcasts/{id}': updateBroadcast,
  'DELETE /broadcasts/{id}': removeBroadcast,
  'POST /broadcasts/{id}/send': sendBroadcast,
  'POST /broadcasts/{id}/cancel': cancelBroadcast,
  'POST /broadcasts/{id}/duplicate': duplicateBroadcast,
  'POST /webhooks/{id}/signing-secret/rotate': rotateSigningSecret,
  'GET /broadcasts/{id}/recipients': listBroadcastRecipients,
  'GET /broadcasts/{id}/clicked-links': listBroadcastLinks,
  'POST /domains/{id}/verify': checkResendDomain,
  'GET /logs': listLogs,
  'GET /logs/{id}': getLog,
  'POST /suppressions': createSuppression,
  'GET /suppressions': listSuppressions,
  'GET /suppressions/{id}': answerSuppression,
  'POST /suppressions/batch/add': addSuppressions,
}

/** The router wants each parameter of a path under a name of its own. */
function numbered(path: string): string {
  let index = 0
  return path.replaceAll('{id}', () => `{id${index++}}`)
}

/** A stranger learns no more than of any address; a key's refused call counts in its rate. */
const refusedCall = (address: { method: string; path: string }, way: Hint): ResendRoute => ({
  scope: null,
  work: () =>
    Promise.reject(new ApiError('not_found', { reason: 'not_offered', ...address, hint: way })),
})
