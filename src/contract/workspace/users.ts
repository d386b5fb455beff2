/** Collects the operations for users alone: signing in, their own account, and the members of a workspace. */
import { memberOperations } from './members.ts'
import { myAccountOperations } from './my-account.ts'
import { userLinkOperations } from './user-links.ts'
import { signInOperations } from './sign-in.ts'

export const userOperations = {
  ...signInOperations,
  ...userLinkOperations,
  ...myAccountOperations,
  ...memberOperations,
} as const
