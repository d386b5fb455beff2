/**
 * Holds why nothing new is accepted now. Each watch writes its own reason, and the dispatchers read
 * both in one check.
 */
import type { ApiError } from '../contract/errors.ts'
import type { Operation } from '../contract/operation.ts'
import { operations, type OperationId } from '../contract/operations.ts'

/** Each makes its refusal with the values of the moment. Null means it lets everything in. */
export interface Intake {
  /** A pause of the whole service comes first: it is over sooner. */
  pause: (() => ApiError) | null
  disk: (() => ApiError) | null
}

export const openIntake = (): Intake => ({ pause: null, disk: null })

/** Calls that stop mail: they are accepted on a full disk too, since they need almost no space. */
const stopping = new Set<OperationId>([
  'cancelEmail',
  'cancelSelectedEmails',
  'addSuppression',
  'removeSubscriber',
  'pauseCampaign',
  'cancelCampaign',
  'undoCampaignSend',
  'unscheduleCampaign',
])

/** Whether an operation writes new data. */
export function takesIn(operation: OperationId | null): boolean {
  if (operation === null || stopping.has(operation)) return false
  const { method, entry }: Operation = operations[operation]
  // A user must be able to sign in to mend the problem.
  return method !== 'GET' && entry !== 'user'
}
