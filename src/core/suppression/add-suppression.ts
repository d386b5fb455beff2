/** POST /suppression: closes an address by the caller's word. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { readAddressKey } from './list-suppression.ts'
import { showSuppression } from './show-suppression.ts'
import { suppressAddress } from './suppress-address.ts'

export async function addSuppression(ctx: CallContext, { body }: InputOf<'addSuppression'>): Promise<AnswerOf<'addSuppression'>> {
  const email = readAddressKey(body.email, 'email')
  return {
    body: showSuppression(
      await suppressAddress(ctx, ctx.workspaceId, { email, reason: body.reason ?? 'manual', sourceId: null }),
    ),
  }
}
