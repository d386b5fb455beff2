/**
 * Defines the single-use links: set the installation up, accept an invitation, choose a new
 * password.
 */
import { accepted, operationsOf } from '../operations-of.ts'
import { roles } from '../roles.ts'
import { DateTime, Text, Type, nullable, oneOf } from '../schema.ts'
import { settingLimits } from './setting-limits.ts'
import {
  Done,
  EmailSchema,
  LinkParams,
  NewPassword,
  UserName,
  WorkspaceLanguage,
  ofUsers,
  signsIn,
} from './user-schemas.ts'
import { memberLanguages } from '../../ground/texts/languages.ts'

const PasswordChanged = Type.Object({
  object: Type.Literal('password_reset'),
  email: Type.String(),
  second_factor_removed: Type.Boolean({
    description: 'Whether passkeys or codes went with the old password.',
  }),
})

const PasswordReset = Type.Object({
  object: Type.Literal('password_reset'),
  email: Type.String(),
  expires_at: DateTime,
  removes_second_factor: Type.Boolean({
    description:
      'Whether passkeys and codes go with the old password, because another person may have made the account.',
  }),
})

const Membership = Type.Object({
  object: Type.Literal('membership'),
  slug: Type.String(),
  role: oneOf(roles),
})

const links = operationsOf({ ...ofUsers, scope: 'none', params: LinkParams }, 'link_not_valid')

const SetUp = Type.Object({
  object: Type.Literal('set_up'),
  expires_at: DateTime,
  workspaces: Type.Array(Type.Object({ slug: Type.String(), name: Type.String() }), {
    description: 'Those that there are, one hundred at most.',
  }),
})

const Invitation = Type.Object({
  object: Type.Literal('invitation'),
  email: Type.String(),
  role: oneOf(roles),
  workspace: Type.Object({ slug: Type.String(), name: Type.String() }),
  invited_by: Text.orNull({ description: 'Null: the operator.' }),
  expires_at: DateTime,
  has_account: nullable(
    Type.Boolean({
      description:
        'Whether somebody has this address already: they accept once they are signed in. Null: not told, as the link was handed over ' +
        'and not mailed.',
    }),
  ),
})

export const userLinkOperations = {
  getSetUp: links.get('/api/v1/set-up/{token}', SetUp, {
    summary: 'Look at the set-up link',
    description: 'Changes nothing.',
  }),
  setUp: links.post('/api/v1/set-up/{token}', signsIn, {
    summary: 'Set the installation up',
    description:
      'Makes the first user, the owner of an existing workspace or a new one, and signs them in. Works once.',
    body: Type.Object({
      email: EmailSchema,
      name: UserName,
      password: NewPassword,
      workspace: Text.optional({
        maxLength: 100,
        description: 'The slug of one that there is; else `new_workspace`.',
      }),
      new_workspace: Text.optional({ minLength: 1, maxLength: settingLimits.workspaceNameMax }),
      language: Type.Optional(WorkspaceLanguage),
    }),
    errors: ['conflict'],
  }),
  getInvitation: links.get('/api/v1/invitations/{token}', Invitation, {
    summary: 'Look at an invitation',
    description: 'Changes nothing.',
  }),
  acceptInvitation: links.post(
    '/api/v1/invitations/{token}',
    { ...signsIn, schema: Membership },
    {
      summary: 'Accept an invitation',
      description:
        'Who has an account is signed in to accept; a person without one chooses a password, and is signed in. `details.reason` of a ' +
        'conflict: `other_person` where somebody else is signed in.',
      body: Type.Object({
        name: Type.Optional(UserName),
        password: Type.Optional(NewPassword),
        language: Type.Optional(
          oneOf(memberLanguages, { description: 'Of mails to a new account.' }),
        ),
      }),
      errors: ['not_signed_in', 'conflict'],
    },
  ),
  askForReset: links.post('/api/v1/password-resets', accepted(Done), {
    summary: 'Ask for a new password',
    description:
      'Where somebody has this address and a workspace of theirs can send, a link is mailed. The answer is alike for all.',
    body: Type.Object({ email: EmailSchema }),
  }),
  getReset: links.get('/api/v1/password-resets/{token}', PasswordReset, {
    summary: 'Look at a link for a new password',
    description: 'Changes nothing.',
  }),
  resetPassword: links.post('/api/v1/password-resets/{token}', PasswordChanged, {
    summary: 'Choose a new password',
    description:
      'Ends all sessions of the person, who then signs in with it. A second factor is asked for as before, ' +
      'unless nothing showed before that the address is theirs: then passkeys and codes go with the password, and a mail says so.',
    body: Type.Object({ password: NewPassword }),
  }),
}
