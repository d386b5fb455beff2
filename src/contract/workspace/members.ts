/** Defines the operations for a workspace's members and invitations. */
import { created, ofMembers, operationsOf } from '../operations-of.ts'
import { roles } from '../roles.ts'
import { DateTime, Text, Type, nullable, oneOf, wholeListOf } from '../schema.ts'
import { Done, EmailSchema } from './user-schemas.ts'

const members = operationsOf({ ...ofMembers, tag: 'Workspace' })
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })
const owners = operationsOf({ ...ofMembers, tag: 'Workspace', role: 'owner', fresh: true, params })

const Member = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  role: oneOf(roles),
  joined_at: DateTime,
  second_factor: Type.Boolean({
    description: 'Whether they have a passkey, or are asked for a code beside their password.',
  }),
})

const Invited = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  role: oneOf(roles),
  invited_by: Text.orNull({ description: 'Null: the operator.' }),
  created_at: DateTime,
  expires_at: DateTime,
})

const MemberInvited = Type.Object({
  object: Type.Literal('invitation'),
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  mailed: Type.Boolean(),
  link: Text.orNull({
    description: 'Shown this once; null when it was mailed to the invited user.',
  }),
  shown_because: nullable(
    oneOf(['asked', 'no_sender', 'suspended', 'captured'], {
      description: 'Why the link is shown.',
    }),
  ),
})

export const memberOperations = {
  listMembers: members.get('/api/v1/members', wholeListOf(Member), {
    summary: 'Members of the workspace',
    description: 'In the order in which they joined.',
  }),
  changeRole: owners.patch('/api/v1/members/{id}', Done, {
    summary: 'Change what a member may do',
    description:
      'A workspace keeps one owner at least: else 409, `details.reason` is `last_owner`.',
    body: Type.Object({ role: oneOf(roles) }),
    errors: ['conflict'],
  }),
  removeMember: owners.delete('/api/v1/members/{id}', Done, {
    summary: 'Remove a member',
    description:
      'They lose all access to the workspace at once. A workspace keeps one owner at least.',
    errors: ['conflict'],
  }),
  leaveWorkspace: members.delete('/api/v1/membership', Done, {
    role: 'viewer',
    // Only an owner can undo it. Like other changes of members, it must not be possible for a
    // stranger at an open browser.
    fresh: true,
    summary: 'Leave the workspace',
    description: 'The last owner cannot.',
    errors: ['conflict'],
  }),
  listInvitations: members.get('/api/v1/invitations', wholeListOf(Invited), {
    role: 'owner',
    summary: 'List invitations',
    description: 'Invitations that were neither accepted nor have expired, newest first.',
  }),
  inviteMember: owners.post('/api/v1/invitations', created(MemberInvited), {
    summary: 'Invite a user',
    description:
      'By mail where the workspace can send and is not suspended, fifty a day at most; else, and where mail is captured, the link is ' +
      'answered, to be handed over. ' +
      'An earlier one of theirs works no more; a hundred may be open.',
    body: Type.Object({ email: EmailSchema, role: oneOf(roles) }),
    errors: ['conflict'],
  }),
  withdrawInvitation: owners.delete('/api/v1/invitations/{id}', Done, {
    summary: 'Withdraw an invitation',
    description: 'Its link works no more.',
  }),
}
