/** `virtual:routes`: of each operation of the contract what a browser needs to call it, so that no second list of addresses exists. */
import type { Plugin } from 'vite'
import type { Operation } from '../../src/contract/operation.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'

const name = 'virtual:routes'

export function emitRoutes(): Plugin {
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export const routes = ${JSON.stringify(routes())}` : null),
  }
}

function routes(): object {
  return Object.fromEntries(
    operationIds.map((id) => {
      const { method, path, door, answer, takesFile }: Operation = operations[id]
      return [id, { method, path, door, ...(answer.file && { file: true }), ...(takesFile && { takesFile }) }]
    }),
  )
}
