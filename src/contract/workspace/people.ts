/** What people do as such: see who they are, which workspaces they are in. */
import Type from 'typebox'
import { limits } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { roles } from '../roles.ts'
import { nullable, oneOf } from '../schema.ts'

const nothing = Type.Object({})
const plain = {
  door: 'person',
  scope: null,
  tag: 'Workspace',
  params: nothing,
  query: nothing,
  headers: nothing,
  bodyBytesMax: limits.otherBodyBytes,
} as const

const Session = Type.Object(
  {
    object: Type.Literal('session'),
    id: Type.String({ format: 'uuid' }),
    person: Type.Object({
      id: Type.String({ format: 'uuid' }),
      email: Type.String(),
      name: Type.String(),
      language: nullable(oneOf(['fr', 'en'])),
    }),
  },
  { $id: 'Session' },
)

const MyWorkspaces = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ slug: Type.String(), name: Type.String(), role: oneOf(roles) })),
})

export const peopleOperations = {
  getSession: {
    ...plain,
    method: 'GET',
    path: '/api/v1/session',
    summary: 'Who is signed in',
    description: 'The person of this browser; 401 when nobody is signed in.',
    answer: { status: 200, schema: Session },
    errors: [],
  },
  listMyWorkspaces: {
    ...plain,
    method: 'GET',
    path: '/api/v1/workspaces',
    summary: 'My workspaces',
    description: 'All of them, and what the person is in each.',
    answer: { status: 200, schema: MyWorkspaces },
    errors: [],
  },
} as const satisfies Record<string, Operation>
