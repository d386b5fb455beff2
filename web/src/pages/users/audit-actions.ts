/** The acts of the audit log in the order of the contract, from which the build took them. */
import { acts as emitted } from 'virtual:routes'
import type { ActName } from '../../../../src/contract/audit-actions.ts'

export const acts = emitted as readonly ActName[]
