/** One workspace's turn of sign-ups: sends the confirmation mails that its forms asked for. */
import type { Service } from '../../core/context.ts'
import { completeSignUp } from '../../core/forms/complete-sign-up.ts'
import { raiseSignUpDue } from '../../db/sending/due.ts'
import type { Turn } from './deliver-due.ts'

const atOnce = 50

export async function completeSignUps(service: Service, workspaceId: number): Promise<Turn> {
  for (let settled = 0; settled < atOnce; settled++) {
    if (await completeSignUp(service, workspaceId)) continue
    await raiseSignUpDue(service.db, workspaceId)
    return 'later'
  }
  return 'more'
}
