/** Defines how a user signs in, proves their identity again, and signs out. */
import { operationsOf } from '../operations-of.ts'
import { DateTime, Type, oneOf, wholeListOf } from '../schema.ts'
import { PasskeyAnswer, PasskeyQuestion } from './passkey-schemas.ts'
import {
  Code,
  Done,
  doneByCookie,
  EmailSchema,
  IdParams,
  Password,
  UserSession,
  ofUsers,
  signsIn,
} from './user-schemas.ts'

const Credentials = Type.Object({
  email: EmailSchema,
  password: Password,
  code: Type.Optional(Code),
})
const Proof = Type.Object({ password: Password, code: Type.Optional(Code) })

const SessionEntry = Type.Object({
  id: Type.String({ format: 'uuid' }),
  method: oneOf(['password', 'passkey', 'link'], { description: 'How they signed in.' }),
  ip: Type.String(),
  user_agent: Type.String(),
  created_at: DateTime,
  seen_at: DateTime,
  current: Type.Boolean({ description: 'Whether it is this one.' }),
})

const SessionsEnded = Type.Object({ object: Type.Literal('sessions_ended'), ended: Type.Integer() })

const session = operationsOf({ ...ofUsers, params: IdParams })
const visitors = operationsOf({ ...ofUsers, scope: 'none' })

export const signInOperations = {
  getSession: session.get('/api/v1/session', UserSession, {
    summary: 'Read the signed-in user',
    description: 'The user of this browser; 401 without a session.',
  }),
  signIn: visitors.post('/api/v1/session', signsIn, {
    summary: 'Sign in by password',
    description:
      'With the code of their app, or a recovery code, where the person has switched that on.',
    body: Credentials,
    errors: ['wrong_credentials', 'second_factor_required'],
  }),
  askPasskey: visitors.post('/api/v1/session/passkey/question', PasskeyQuestion, {
    summary: 'A challenge for a passkey',
    description: 'The challenge that a passkey signs, once and within five minutes.',
  }),
  signInWithPasskey: visitors.post('/api/v1/session/passkey', signsIn, {
    summary: 'Sign in by passkey',
    description: 'A passkey is both factors at once.',
    body: PasskeyAnswer,
    errors: ['wrong_credentials'],
  }),
  signOut: visitors.delete('/api/v1/session', doneByCookie, {
    summary: 'Sign out',
    description: 'Ends this session; alike where there is none.',
  }),
  confirmIdentity: session.post('/api/v1/session/confirmation', Done, {
    summary: 'Confirm the identity by password',
    description: 'For the next quarter of an hour; some acts ask for it.',
    body: Proof,
    errors: ['wrong_credentials', 'second_factor_required'],
  }),
  confirmIdentityWithPasskey: session.post('/api/v1/session/confirmation/passkey', Done, {
    summary: 'Confirm the identity by passkey',
    description: 'For the next quarter of an hour; some acts ask for it.',
    body: PasskeyAnswer,
    errors: ['wrong_credentials'],
  }),
  listSessions: session.get('/api/v1/sessions', wholeListOf(SessionEntry), {
    summary: 'Where I am signed in',
    description: 'Every session of the person that has not ended, the last used first.',
  }),
  endSession: session.delete('/api/v1/sessions/{id}', Done, {
    summary: 'End a session',
    description: 'That browser has to sign in again.',
  }),
  endOtherSessions: session.delete('/api/v1/sessions', SessionsEnded, {
    summary: 'End all other sessions',
    description: 'Every browser but this one has to sign in again.',
  }),
}
