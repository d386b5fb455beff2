/**
 * Contacts are subscribers. `create` asks the contact to confirm (spec: five rules, 5), and who is
 * removed or unsubscribed leaves by the one verb of every way.
 */
import { limits } from '../../contract/limits.ts'
import { Type, type Static } from '../../contract/schema.ts'
import { foreignSubscriberKeys, type Subscriber } from '../../contract/subscribers.ts'
import { createBodyCheck } from '../../core/input/check-body.ts'
import { contactNames, isReached } from '../../core/presentation/present-resend-contact.ts'
import { RefusedOperation, type Perform, type ResendRoute } from './answer-resend-call.ts'
import { pageQuery } from './page-query.ts'
import { refuseOtherSegments } from './segments.ts'

const name = Type.Optional(
  Type.Union([Type.String({ maxLength: limits.subscriberNameMax }), Type.Null()]),
)
const written = {
  /** Some SDKs write the audience of the path into the body as well. */
  audience_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  unsubscribed: Type.Optional(Type.Boolean()),
  first_name: name,
  last_name: name,
  properties: Type.Optional(
    Type.Unsafe<Record<string, string | number | boolean | null>>({
      type: 'object',
      additionalProperties: {
        anyOf: [
          { type: 'string', maxLength: limits.fieldValueMax },
          { type: 'number' },
          { type: 'boolean' },
          { type: 'null' },
        ],
      },
    }),
  ),
}
const Changed = Type.Object(written)
const Created = Type.Object({
  ...written,
  email: Type.String({ minLength: limits.addressMin, maxLength: limits.addressMax }),
  segments: Type.Optional(Type.Array(Type.Object({ id: Type.String() }))),
})
/** Those of our own contacts too, with Resend's words for what only Resend has. */
const foreign = {
  '': { ...foreignSubscriberKeys[''], topics: 'resend_topics', segments: 'resend_segments' },
} as const
const readCreated = createBodyCheck(Created, foreign)
const readChanged = createBodyCheck(Changed, foreign)

function refuseOtherAudience(
  ofPath: string | undefined,
  { audience_id: ofBody }: Static<typeof Changed>,
): void {
  const named = [ofPath, ofBody].filter((id): id is string => typeof id === 'string' && id !== '')
  refuseOtherSegments(named, 'audience_id')
}

/** Names and properties under our names; null clears, and numbers are texts. */
function fieldsOf({ first_name: first, last_name: last, properties }: Static<typeof Changed>) {
  const fields = Object.entries(properties ?? {}).map(([key, value]) => [key, String(value ?? '')])
  return {
    ...(first !== undefined && { firstName: first ?? '' }),
    ...(last !== undefined && { lastName: last ?? '' }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  }
}

/** Within an audience, the identifier of the contact is the second one of the path. */
const contactOf = ({ id0 = '', id1 = id0 }: Record<string, string>): string => id1

const present = (contact: Subscriber) => ({
  object: 'contact',
  id: contact.id,
  email: contact.email,
  ...contactNames(contact),
  created_at: contact.created_at,
  status: contact.status,
})

const withProperties = (contact: Subscriber) => ({
  ...present(contact),
  properties: Object.fromEntries(
    Object.entries(contact.fields).map(([key, value]) => [key, { type: 'string', value }]),
  ),
})

export const createContact: ResendRoute = {
  scope: 'subscribers:write',
  async work({ perform, params: { id0: segment }, readBody }) {
    const body = readCreated(await readBody(limits.otherBodyBytes))
    refuseOtherSegments(
      (body.segments ?? []).map(({ id }) => id),
      'segments',
    )
    refuseOtherAudience(segment, body)
    const { email } = body
    if (body.unsubscribed === true) return { status: 201, body: await leave(perform, email) }
    const { id } = await perform('addSubscriber', { body: { email, ...fieldsOf(body) } })
    return { status: 201, body: { object: 'contact', id } }
  },
}

/**
 * Who is no contact yet becomes none by leaving: the list keeps their address from being written
 * to, and nothing asks them to confirm.
 */
async function leave(perform: Perform, email: string): Promise<{ object: string; id: string }> {
  const contact = await perform('getSubscriber', { params: { email } }).catch((error: unknown) => {
    if (error instanceof RefusedOperation && error.code === 'not_found') return null
    throw error
  })
  if (contact) await perform('removeSubscriber', { params: { email } })
  const { id } =
    contact ?? (await perform('addSuppression', { body: { email, reason: 'unsubscribe' } }))
  return { object: 'contact', id }
}

export const updateContact: ResendRoute = {
  scope: 'subscribers:write',
  async work({ perform, params, readBody }) {
    const body = readChanged(await readBody(limits.otherBodyBytes))
    refuseOtherAudience(params['id1'] === undefined ? undefined : params['id0'], body)
    const contact = await perform('getSubscriber', { params: { email: contactOf(params) } })
    const { id, email, status } = contact
    const fields = fieldsOf(body)
    const hasFields = Object.keys(fields).length > 0
    // Who left stays so; the verb refuses to bring them back, and to change their record.
    const changes = body.unsubscribed === true ? hasFields && status === 'subscribed' : hasFields
    const comesBack = body.unsubscribed === false && !isReached(contact)
    if (changes || comesBack) await perform('addSubscriber', { body: { email, ...fields } })
    if (body.unsubscribed === true) await perform('removeSubscriber', { params: { email } })
    return { body: { object: 'contact', id } }
  },
}

export const answerContact: ResendRoute = {
  scope: 'subscribers:read',
  async work({ perform, params }) {
    refuseOtherSegments(params['id1'] === undefined ? [] : [params['id0'] ?? ''], 'audience_id')
    const contact = await perform('getSubscriber', { params: { email: contactOf(params) } })
    return { body: withProperties(contact) }
  },
}

export const removeContact: ResendRoute = {
  scope: 'subscribers:write',
  async work({ perform, params }) {
    refuseOtherSegments(params['id1'] === undefined ? [] : [params['id0'] ?? ''], 'audience_id')
    const contact = contactOf(params)
    await perform('removeSubscriber', { params: { email: contact } })
    return { body: { object: 'contact', contact, deleted: false } }
  },
}

export const listContacts: ResendRoute = {
  scope: 'subscribers:read',
  async work({ perform, params: { id0: segment }, query }) {
    refuseOtherSegments(segment === undefined ? [] : [segment], 'segment_id')
    const page = await perform('listSubscribers', {
      query: {
        ...pageQuery(query, 'after'),
        // The one segment is everyone subscribed.
        ...(segment !== undefined && { status: 'subscribed' }),
      },
    })
    return { body: { object: 'list', has_more: page.has_more, data: page.data.map(present) } }
  },
}
