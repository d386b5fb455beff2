/** What operations for the people of a workspace have in common. */
import { Type } from '../type.ts'
import { limits } from '../limits.ts'
import type { Operation } from '../operation.ts'

const nothing = Type.Object({})

/** Never by a key; a viewer reads, an editor changes, unless an operation says otherwise. */
export const plain = {
  door: 'workspace',
  scope: null,
  params: nothing,
  query: nothing,
  headers: nothing,
  bodyBytesMax: limits.otherBodyBytes,
} as const satisfies Partial<Operation>
