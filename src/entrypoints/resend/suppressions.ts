/** Suppressions are read and added to. No call takes an address off the list. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { Type } from '../../contract/schema.ts'
import type { SuppressionEntry } from '../../contract/suppression.ts'
import { createBodyCheck } from '../../core/input/check-body.ts'
import { shapeError } from '../../core/input/shape-error.ts'
import { isId } from '../../ground/ids.ts'
import type { ResendRoute } from './answer-resend-call.ts'
import { pageQuery } from './page-query.ts'

const address = Type.String({ minLength: limits.addressMin, maxLength: limits.addressMax })
const readOne = createBodyCheck(Type.Object({ email: address }))
const readMany = createBodyCheck(
  Type.Object({ emails: Type.Array(address, { minItems: 1, maxItems: limits.batchMax }) }),
)

export const createSuppression: ResendRoute = {
  scope: 'subscribers:write',
  async work({ perform, readBody }) {
    const { email } = readOne(await readBody(limits.otherBodyBytes))
    const { id } = await perform('addSuppression', { body: { email } })
    return { status: 201, body: { object: 'suppression', id } }
  },
}

export const addSuppressions: ResendRoute = {
  scope: 'subscribers:write',
  async work({ together, readBody }) {
    const { emails } = readMany(await readBody(limits.otherBodyBytes))
    const ids = new Map<string, string>()
    await together(async (by) => {
      // In one order, so that two calls never wait for each other.
      for (const email of [...new Set(emails)].toSorted())
        ids.set(email, (await by('addSuppression', { body: { email } })).id)
    })
    const data = emails.map((email) => ({ object: 'suppression', id: ids.get(email) }))
    return { status: 201, body: { data } }
  },
}

export const listSuppressions: ResendRoute = {
  scope: 'subscribers:read',
  async work({ perform, query }) {
    if (query['origin'] !== undefined)
      throw shapeError([{ path: 'origin', rule: 'not_supported' }], 'resend_origin')
    const goesOn = isId(query['after'] ?? '') ? 'after' : 'cursor'
    const page = await perform('listSuppression', { query: pageQuery(query, goesOn) })
    return {
      body: {
        ...{ object: 'list', has_more: page.has_more, next_cursor: page.next_cursor },
        data: page.data.map(present),
      },
    }
  },
}

export const answerSuppression: ResendRoute = {
  scope: 'subscribers:read',
  async work({ perform, params: { id0: id = '' } }) {
    if (!id.includes('@') && !isId(id)) throw new ApiError('not_found', { id })
    const query = isId(id) ? { id } : { email: id }
    const { data } = await perform('listSuppression', { query })
    const [entry] = data
    if (!entry) throw new ApiError('not_found', { id })
    return { body: { object: 'suppression', ...present(entry) } }
  },
}

/** Resend has three origins; who unsubscribed has the nearest of them. */
const present = ({ id, email, reason, source_id: source, created_at: at }: SuppressionEntry) => ({
  ...{ id, email, reason, source_id: source, created_at: at },
  origin: reason === 'unsubscribe' ? 'manual' : reason,
})
