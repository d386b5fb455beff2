/** Defines the operations for a workspace's audit log, which owners read. */
import { acts } from '../audit-actions.ts'
import { BoundedCount, countedEntriesMax } from '../counted.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, PageQuery, Text, Type, listOf, oneOf } from '../schema.ts'
import { timeText } from '../text-rules.ts'

/** Entries that a file has at most: the newest that match. */
export const auditFileMax = 100_000

const AuditEntry = Type.Object({
  id: Type.String({ format: 'uuid' }),
  at: DateTime,
  who: Type.String({
    description: 'An address; `key NAME` for a program; `command line` for the operator.',
  }),
  act: oneOf(acts),
  subject: Type.String(),
  details: Type.Object({}, { additionalProperties: true }),
  ip: Text.orNull(),
})

const filter = {
  act: Type.Optional(oneOf(acts)),
  who: Text.optional({
    minLength: 1,
    maxLength: 254,
    description: 'Part of who did it; case does not matter.',
  }),
  from: Text.optional({ ...timeText, description: 'Entries from then on.' }),
  to: Text.optional({ ...timeText, description: 'Entries before then.' }),
}

const audit = operationsOf({ ...ofMembers, tag: 'Workspace', role: 'owner' })

export const auditOperations = {
  listAudit: audit.get('/api/v1/audit', listOf(AuditEntry), {
    query: Type.Object({ ...PageQuery.properties, ...filter }),
    summary: 'List the acts of users',
    description: 'Newest first. Rare matches among very many entries take several pages.',
  }),
  countAudit: audit.get(
    '/api/v1/audit/count',
    Type.Object({ object: Type.Literal('audit_count'), ...BoundedCount.properties }),
    {
      query: Type.Object(filter),
      summary: 'Count the acts of users',
      description: `Those that match among the newest ${countedEntriesMax.toLocaleString('en-US')} entries.`,
    },
  ),
  exportAudit: audit.get('/api/v1/audit/export', fileAnswer, {
    query: Type.Object({ ...filter, format: Type.Optional(oneOf(['csv', 'json'])) }),
    summary: 'Export the audit log',
    description:
      `The newest ${auditFileMax.toLocaleString('en-US')} entries that match, as CSV or, with \`format=json\`, as JSON. ` +
      'The log says who exported it.',
  }),
}
