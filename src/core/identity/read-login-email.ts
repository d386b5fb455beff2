/**
 * Parses the address that a user signs in with, lower-cased as stored. Throws `validation_error`
 * when it is malformed.
 */
import { readAddressKey } from '../suppression/list-suppression.ts'

export const readLoginEmail = (text: string): string => readAddressKey(text.trim(), 'email')
