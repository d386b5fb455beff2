/**
 * Defines segments for members: parts of the audience by a definition, which are counted and
 * listed. A key has none of this: its campaigns go to everybody subscribed.
 */
import { created, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, PageQuery, Text, Type, count, listOf, oneOf, wholeListOf } from '../schema.ts'
import { Definition } from '../segment-schema.ts'
import { Subscriber, subscriberStatuses } from '../subscribers.ts'
import { segmentLimits } from './segment-limits.ts'

const name = Type.String({
  minLength: 1,
  maxLength: segmentLimits.nameMax,
  description: 'Each segment of a workspace has another name.',
  examples: ['Regular customers'],
})
const id = Type.String({ format: 'uuid' })

const Segment = Type.Object({
  object: Type.Literal('segment'),
  id,
  name,
  definition: Definition,
  version: Type.Integer({
    description: 'Grows with each change of the definition.',
    examples: [1],
  }),
  created_at: DateTime,
  updated_at: DateTime,
})

const SegmentCount = Type.Object({
  object: Type.Literal('segment_count'),
  contacts: count('Contacts that the definition selects.'),
  subscribed: count('Those of them who are subscribed: a campaign reaches no others.'),
  sample: Type.Array(
    Type.Object({
      id,
      email: Type.String({ examples: ['camille@example.com'] }),
      firstName: Text.orNull(),
      lastName: Text.orNull(),
      status: oneOf(subscriberStatuses),
    }),
    { description: `The ${segmentLimits.sampleMax} newest of them at most.` },
  ),
})

const SegmentRequest = Type.Object({ name, definition: Definition })
const SegmentUpdate = Type.Object({
  name: Type.Optional(name),
  definition: Type.Optional(Definition),
})
const SegmentDeleted = Type.Object({
  object: Type.Literal('segment'),
  id,
  deleted: Type.Literal(true),
})

const segments = operationsOf({
  ...ofMembers,
  tag: 'Subscribers',
  params: Type.Object({ id }),
})

export const segmentOperations = {
  listSegments: segments.get('/api/v1/audience/segments', wholeListOf(Segment), {
    summary: 'List segments',
    description: 'All of the workspace, by name.',
  }),
  createSegment: segments.post('/api/v1/audience/segments', created(Segment), {
    summary: 'Make a segment',
    description:
      'Fields are named by their keys or identifiers, and stored by identifiers: a renamed field stays the same. Refused with the path of the wrong part.',
    body: SegmentRequest,
    errors: ['conflict'],
  }),
  countSegment: segments.post('/api/v1/audience/segments/count', SegmentCount, {
    role: 'viewer',
    summary: 'Count the contacts of a definition',
    description: `While it is written; nothing is stored. A count ends after ${segmentLimits.countSecondsMax} seconds, and ${segmentLimits.countsAtOnceMax} of a workspace run at once, over all processes.`,
    body: Type.Object({ definition: Definition }),
    errors: ['conflict', 'rate_limit_exceeded'],
  }),
  getSegment: segments.get('/api/v1/audience/segments/{id}', Segment, {
    summary: 'Read a segment',
    description: 'Its definition names fields by their keys.',
  }),
  updateSegment: segments.patch('/api/v1/audience/segments/{id}', Segment, {
    summary: 'Change a segment',
    description: 'The parts that are given change. Another definition is another version.',
    body: SegmentUpdate,
    errors: ['conflict'],
  }),
  deleteSegment: segments.delete('/api/v1/audience/segments/{id}', SegmentDeleted, {
    summary: 'Delete a segment',
    description: 'Its contacts stay. Refused with 409 while a campaign is to go to it.',
    errors: ['conflict'],
  }),
  listSegmentMembers: segments.get('/api/v1/audience/segments/{id}/members', listOf(Subscriber), {
    summary: 'List the contacts of a segment',
    description: 'Newest first. All pages of a listing count days from the same moment.',
    query: PageQuery,
    errors: ['conflict', 'rate_limit_exceeded'],
  }),
}
