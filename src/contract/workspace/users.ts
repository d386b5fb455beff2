/** All that is for people alone: how they come in, what they settle of themselves, and who is in a workspace. */
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
