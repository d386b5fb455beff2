/**
 * Maps every operation to its verb. A missing verb, or one that returns another shape, does not
 * compile.
 */
import type { OperationId } from '../../contract/operations.ts'
import type { Verb } from '../verb.ts'
import * as verbs from './verbs.ts'

export const handlers: { [Id in OperationId]: Verb<Id> } = verbs
