/** Defines how a user signs in, proves their identity again, and signs out. */
import { Type } from '../type.ts'
import type { Operation } from '../operation.ts'
import { operationsOf } from '../operations-of.ts'
import { DateTime, oneOf } from '../schema.ts'
import { PasskeyAnswer, PasskeyQuestion } from './passkey-schemas.ts'
import { Code, Done, EmailSchema, IdParams, Password, UserSession, ofUsers, signsIn } from './user-schemas.ts'

const Credentials = Type.Object({ email: EmailSchema, password: Password, code: Type.Optional(Code) })
const Proof = Type.Object({ password: Password, code: Type.Optional(Code) })

const SessionList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      method: oneOf(['password', 'passkey', 'link'], { description: 'How they signed in.' }),
      ip: Type.String(),
      user_agent: Type.String(),
      created_at: DateTime,
      seen_at: DateTime,
      current: Type.Boolean({ description: 'Whether it is this one.' }),
    }),
  ),
})

const session = operationsOf(ofUsers)

export const signInOperations = {
  getSession: {
    ...session.get('/api/v1/session'),
    summary: 'Who is signed in',
    description: 'The user of this browser; 401 without a session.',
    answer: { status: 200, schema: UserSession },
  },
  signIn: {
    ...session.post('/api/v1/session'),
    scope: 'none',
    summary: 'Sign in by password',
    description: 'With the code of their app, or a recovery code, where the person has switched that on.',
    body: Credentials,
    answer: signsIn,
    errors: ['wrong_credentials', 'second_factor_required', 'validation_error'],
  },
  askPasskey: {
    ...session.post('/api/v1/session/passkey/question'),
    scope: 'none',
    summary: 'A challenge for a passkey',
    description: 'What the browser asks a passkey to sign, once and within five minutes.',
    answer: { status: 200, schema: PasskeyQuestion },
  },
  signInWithPasskey: {
    ...session.post('/api/v1/session/passkey'),
    scope: 'none',
    summary: 'Sign in by passkey',
    description: 'A passkey is both factors at once.',
    body: PasskeyAnswer,
    answer: signsIn,
    errors: ['wrong_credentials', 'validation_error'],
  },
  signOut: {
    ...session.delete('/api/v1/session'),
    scope: 'none',
    summary: 'Sign out',
    description: 'Ends this session; alike where there is none.',
    answer: { status: 200, schema: Done, headers: signsIn.headers },
  },
  confirmIdentity: {
    ...session.post('/api/v1/session/confirmation'),
    summary: 'Confirm the identity by password',
    description: 'For the next quarter of an hour; some acts ask for it.',
    body: Proof,
    answer: { status: 200, schema: Done },
    errors: ['wrong_credentials', 'second_factor_required', 'validation_error'],
  },
  confirmIdentityWithPasskey: {
    ...session.post('/api/v1/session/confirmation/passkey'),
    summary: 'Confirm the identity by passkey',
    description: 'For the next quarter of an hour; some acts ask for it.',
    body: PasskeyAnswer,
    answer: { status: 200, schema: Done },
    errors: ['wrong_credentials', 'validation_error'],
  },
  listSessions: {
    ...session.get('/api/v1/sessions'),
    summary: 'Where I am signed in',
    description: 'Every session of the person that has not ended, the last used first.',
    answer: { status: 200, schema: SessionList },
  },
  endSession: {
    ...session.delete('/api/v1/sessions/{id}'),
    params: IdParams,
    summary: 'End a session',
    description: 'That browser has to sign in again.',
    answer: { status: 200, schema: Done },
    errors: ['not_found'],
  },
  endOtherSessions: {
    ...session.delete('/api/v1/sessions'),
    summary: 'End all other sessions',
    description: 'Every browser but this one has to sign in again.',
    answer: { status: 200, schema: Type.Object({ object: Type.Literal('sessions_ended'), ended: Type.Integer() }) },
  },
} as const satisfies Record<string, Operation>
