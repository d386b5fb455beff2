/**
 * Holds why nothing new is accepted now. Each watch writes its own reason, and the dispatchers read
 * both in one check.
 */
import type { ApiError } from '../contract/errors.ts'

/** Each makes its refusal with the values of the moment; null: it lets everything in. */
export interface Intake {
  /** A move of the installation comes first: it is over sooner. */
  moving: (() => ApiError) | null
  disk: (() => ApiError) | null
}

export const openIntake = (): Intake => ({ moving: null, disk: null })
