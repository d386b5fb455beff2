/** Defines the schemas that several operations for users share. */
import { limits } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { Type, nullable, oneOf } from '../schema.ts'
import { memberLanguages, recipientLanguages } from '../../ground/texts/languages.ts'

/** Limits of signing in, in the unit that their name ends with. */
export const userLimits = {
  /**
   * Length of a password in code points. NIST SP 800-63B-4 3.1.1.2 requires 15 if it is the only
   * factor, and that up to 64 are accepted.
   */
  passwordMin: 12,
  passwordMax: 256,
  nameMax: 120,
  passkeysMax: 20,
  /** Workspaces that one user may own by creating them. */
  workspacesMax: 20,
  /** Of a workspace: pending invitations, and those mailed within a day. */
  invitationsOpenMax: 100,
  invitationsDayMax: 50,
} as const

/** For users outside workspaces, signed in unless an operation says otherwise. */
export const ofUsers = {
  entry: 'user',
  scope: null,
  tag: 'Workspace',
} as const satisfies Partial<Operation>

export const EmailSchema = Type.String({
  maxLength: limits.addressMax,
  examples: ['ada@example.com'],
})
export const UserName = Type.String({ maxLength: userLimits.nameMax, examples: ['Ada Lovelace'] })
/** A new password, validated when it is chosen. */
export const NewPassword = Type.String({
  minLength: userLimits.passwordMin,
  maxLength: userLimits.passwordMax,
})
/** A password to compare. */
export const Password = Type.String({ maxLength: userLimits.passwordMax })
/** A code of the app, or a recovery code. */
export const Code = Type.String({ maxLength: 40, examples: ['123456'] })
export const LinkParams = Type.Object({ token: Type.String({ maxLength: 100 }) })
export const IdParams = Type.Object({ id: Type.String({ maxLength: 1400 }) })
/** The language of a workspace that is created or taken over. */
export const WorkspaceLanguage = oneOf(recipientLanguages, {
  description:
    "Of what its recipients read, and of mails to its people who chose none. Left out: it stays, or is the installation's.",
})

export const UserSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  language: nullable(oneOf(memberLanguages)),
})

export const UserSession = Type.Object({
  object: Type.Literal('session'),
  id: Type.String({ format: 'uuid' }),
  person: UserSchema,
})

/** The answer of every sign-in: the session and its cookie. */
export const signsIn = {
  status: 200,
  schema: UserSession,
  headers: { 'Set-Cookie': 'The cookie of the session; no script reads it.' },
} as const

export const Done = Type.Object({ object: Type.Literal('done') })

/** The answer that renews or ends the cookie. */
export const doneByCookie = { ...signsIn, schema: Done } as const
