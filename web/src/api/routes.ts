/** Where each operation of the contract is, as the build took it from there. */
import { routes } from 'virtual:contract'
import type { OperationId } from '../../../src/contract/operations.ts'

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** `{name}` is a parameter. */
  path: string
  entry: 'api' | 'workspace' | 'person'
  /** The answer is a file. */
  file?: true
  takesFile?: true
}

export { routes }

// The build emits one for each operation, and nothing else (web/build/emit-contract.ts).
export const operationIds = Object.keys(routes) as OperationId[]
