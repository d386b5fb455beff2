/** An address that somebody signs in by, as it is kept: whole and lower-cased. Throws `validation_error` for what is no address. */
import { readAddressKey } from '../suppression/list-suppression.ts'

export const readLoginEmail = (text: string): string => readAddressKey(text.trim(), 'email')
