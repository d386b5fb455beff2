/**
 * Defines users' operations for their own account: name, password, passkeys, app codes, workspaces.
 */
import { created, operationsOf } from '../operations-of.ts'
import { roles } from '../roles.ts'
import { DateTime, Type, nullable, oneOf, optionalOrNull, wholeListOf } from '../schema.ts'
import { NewPasskeyAnswer, NewPasskeyQuestion } from './passkey-schemas.ts'
import { settingLimits } from './setting-limits.ts'
import {
  Code,
  Done,
  doneByCookie,
  IdParams,
  NewPassword,
  UserSchema,
  UserName,
  WorkspaceLanguage,
  ofUsers,
} from './user-schemas.ts'
import { memberLanguages } from '../../ground/texts/languages.ts'

const WaysIn = Type.Object({
  object: Type.Literal('ways_in'),
  password: Type.Boolean({ description: 'Whether one was chosen.' }),
  totp: Type.Boolean({ description: 'Whether a code of an app is asked for beside the password.' }),
  recovery_codes: Type.Integer({ description: 'How many are left.' }),
  passkeys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      created_at: DateTime,
      last_used_at: nullable(DateTime),
    }),
  ),
  passkey_host: Type.String({
    description: 'The host name that passkeys are for: elsewhere none can be made or used.',
  }),
})

const RecoveryCodes = Type.Object({
  object: Type.Literal('recovery_codes'),
  codes: Type.Array(Type.String(), {
    description: 'Shown this once. Each works once, in place of a code of the app.',
  }),
})

const WorkspaceOfMine = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  role: oneOf(roles),
})

const ListedWorkspace = Type.Object({
  ...WorkspaceOfMine.properties,
  captures: Type.Boolean({ description: 'The capture mailbox stores all mail, and none leaves.' }),
  owns_all: Type.Boolean({
    description: 'I own every workspace of the installation, and may read its state.',
  }),
})

const TotpBegun = Type.Object({
  object: Type.Literal('totp'),
  secret: Type.String(),
  uri: Type.String(),
})

const PasskeyAdded = Type.Object({
  object: Type.Literal('passkey'),
  id: Type.String(),
  name: Type.String(),
})

const mine = operationsOf(ofUsers)
const sensitive = operationsOf({ ...ofUsers, params: IdParams, fresh: true })

export const myAccountOperations = {
  updateMe: mine.patch('/api/v1/person', UserSchema, {
    summary: 'Change my name or language',
    description: 'Absent fields stay.',
    body: Type.Object({
      name: Type.Optional(UserName),
      language: optionalOrNull(oneOf(memberLanguages)),
    }),
  }),
  getWaysIn: mine.get('/api/v1/person/ways-in', WaysIn, {
    summary: 'How I can sign in',
    description: 'Password, passkeys, and whether a second factor is asked for.',
  }),
  changePassword: sensitive.post('/api/v1/person/password', doneByCookie, {
    summary: 'Change my password',
    description: 'Ends every other session; this one goes on under a new cookie.',
    body: Type.Object({ password: NewPassword }),
  }),
  askNewPasskey: sensitive.post('/api/v1/person/passkeys/question', NewPasskeyQuestion, {
    summary: 'A challenge for a new passkey',
    description: 'The challenge that a new passkey signs, once and within five minutes.',
    errors: ['conflict'],
  }),
  addPasskey: sensitive.post('/api/v1/person/passkeys', created(PasskeyAdded), {
    summary: 'Add a passkey',
    description: 'From now on the user can sign in by it.',
    body: NewPasskeyAnswer,
    errors: ['wrong_credentials', 'conflict'],
  }),
  removePasskey: sensitive.delete('/api/v1/person/passkeys/{id}', Done, {
    summary: 'Remove a passkey',
    description: 'It no longer signs the user in.',
  }),
  beginTotp: sensitive.post('/api/v1/person/totp', TotpBegun, {
    summary: 'Begin with codes of an app',
    description: 'A secret for the app. Nothing is asked for until a first code was given.',
    errors: ['conflict'],
  }),
  confirmTotp: sensitive.post('/api/v1/person/totp/confirmation', RecoveryCodes, {
    summary: 'Ask for codes of an app from now on',
    description: 'Takes a first code, and answers the recovery codes.',
    body: Type.Object({ code: Code }),
    errors: ['wrong_credentials', 'conflict'],
  }),
  removeTotp: sensitive.delete('/api/v1/person/totp', Done, {
    summary: 'Ask for no codes any more',
    description: 'The password alone is enough again; the recovery codes are deleted.',
  }),
  renewRecoveryCodes: sensitive.post('/api/v1/person/recovery-codes', RecoveryCodes, {
    summary: 'New recovery codes',
    description: 'The previous codes no longer work.',
    errors: ['conflict'],
  }),
  listMyWorkspaces: mine.get('/api/v1/workspaces', wholeListOf(ListedWorkspace), {
    summary: 'My workspaces',
    description: 'All workspaces of the user, with the role in each.',
  }),
  addWorkspace: mine.post('/api/v1/workspaces', created(WorkspaceOfMine), {
    summary: 'Add a workspace',
    description:
      'The person becomes its owner. Owners of a workspace may; others are to ask the operator. It is on the narrowest plan of those ' +
      'that they own; none is made while one of these is suspended, nor beyond twenty.',
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: settingLimits.workspaceNameMax }),
      language: Type.Optional(WorkspaceLanguage),
    }),
    errors: ['insufficient_role', 'conflict', 'reputation_blocked'],
  }),
}
