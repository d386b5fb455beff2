/** Defines the common settings of operations for a workspace's users. */
import { Type } from '../type.ts'
import { limits } from '../limits.ts'
import type { Operation } from '../operation.ts'

const nothing = Type.Object({})

/** Never with a key; a viewer reads and an editor changes, unless an operation says otherwise. */
export const plain = {
  door: 'workspace',
  scope: null,
  params: nothing,
  query: nothing,
  headers: nothing,
  bodyBytesMax: limits.otherBodyBytes,
} as const satisfies Partial<Operation>
