/** One workspace's turn of sign-ups: whom its forms ask to confirm. */
import type { Service } from '../../core/context.ts'
import { settleSignUp } from '../../core/forms/settle-sign-up.ts'
import { raiseSignUpDue } from '../../db/due.ts'
import type { Turn } from './deliver-due.ts'

const atOnce = 50

export async function settleSignUps(service: Service, workspaceId: number): Promise<Turn> {
  for (let settled = 0; settled < atOnce; settled++) {
    if (await settleSignUp(service, workspaceId)) continue
    await raiseSignUpDue(service.db, workspaceId)
    return 'later'
  }
  return 'more'
}
