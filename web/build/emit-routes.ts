/** `virtual:routes`: of each operation what a browser needs to call it, and the acts of the audit log, so that no second list exists. */
import type { Plugin } from 'vite'
import { acts } from '../../src/contract/audit-actions.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'

const name = 'virtual:routes'

export function emitRoutes(): Plugin {
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? emitted() : null),
  }
}

const emitted = (): string => `export const routes = ${JSON.stringify(routes())}\nexport const acts = ${JSON.stringify(acts)}`

function routes(): object {
  return Object.fromEntries(
    operationIds.map((id) => {
      const { method, path, entry, answer, takesFile }: Operation = operations[id]
      return [id, { method, path, entry, ...(answer.file && { file: true }), ...(takesFile && { takesFile }) }]
    }),
  )
}
