/** Resend's check of a domain, whose other calls are operations of ours as they are. */
import type { ResendRoute } from './answer-resend-call.ts'

export const checkResendDomain: ResendRoute = {
  scope: 'domains:write',
  async work({ perform, params: { id0: name = '' } }) {
    const { name: id } = await perform('checkDomain', { params: { name } })
    return { body: { object: 'domain', id } }
  },
}
