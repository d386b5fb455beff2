/** Logs are the calls of the workspace's keys; what they carried is not kept. */
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { isOperationId, operations } from '../../contract/operations.ts'
import type { RequestEntry } from '../../contract/workspace/requests.ts'
import { isId } from '../../ground/ids.ts'
import type { ResendRoute } from './answer-resend-call.ts'
import { pageQuery } from './page-query.ts'

export const listLogs: ResendRoute = {
  scope: 'logs:read',
  async work({ perform, query }) {
    const page = await perform('listRequests', { query: pageQuery(query, 'after') })
    return { body: { object: 'list', has_more: page.has_more, data: page.data.map(present) } }
  },
}

export const getLog: ResendRoute = {
  scope: 'logs:read',
  async work({ perform, params: { id0: id = '' } }) {
    if (!isId(id)) throw new ApiError('not_found', { id })
    const { data } = await perform('listRequests', { query: { id } })
    const [entry] = data
    if (!entry) throw new ApiError('not_found', { id })
    return { body: { object: 'log', ...present(entry), request_body: null, response_body: null } }
  },
}

/** The log names the operation; without one, nothing of the address is kept. */
function present({ id, at, operation, status }: RequestEntry) {
  const called: Operation | null =
    operation !== null && isOperationId(operation) ? operations[operation] : null
  return {
    ...{ id, created_at: at, response_status: status, user_agent: null, operation },
    endpoint: called?.path.replace('/api/v1', '') ?? '',
    method: called?.method ?? '',
  }
}
