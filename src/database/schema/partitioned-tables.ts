/**
 * Lists the tables that are partitioned by time, with the class of their data
 * (docs/decisions/0048). `maintain-partitions.ts` makes their partitions, and drops them when all
 * of their rows have expired.
 *
 * A new table: a migration creates it `partition by range` of a column of its primary key, with a
 * partition `<table>_default`; its entry here does the rest. A table that is not partitioned may
 * stand here too: its rows expire in batches.
 */
export interface PartitionedTable {
  /** The name of its class of data. */
  class: string
  /** The column of the primary key that has the time: a UUID of version 7, or a timestamp. */
  key: string
  keyType: 'uuid' | 'timestamptz'
  /**
   * Rows that stay although they are older than the limit: those of messages or campaigns that are
   * not over.
   */
  keeps?: 'unfinished messages' | 'unfinished campaigns'
  /**
   * It has no partitions on purpose: its rows are few, or are stored for ever unless the operator
   * sets a limit.
   */
  isWhole?: true
}

const tables = {
  message_body: {
    class: 'bodies',
    key: 'message_id',
    keyType: 'uuid',
    keeps: 'unfinished messages',
  },
  attachment: { class: 'bodies', key: 'message_id', keyType: 'uuid', keeps: 'unfinished messages' },
  request_log: { class: 'requests', key: 'id', keyType: 'uuid' },
  captured_mail: { class: 'captured', key: 'id', keyType: 'uuid' },
  // Those of single messages, and those of campaigns by the campaign.
  deferral: {
    class: 'delivery_details',
    key: 'mail_id',
    keyType: 'uuid',
    keeps: 'unfinished campaigns',
  },
  engagement: { class: 'delivery_details', key: 'id', keyType: 'uuid' },
  feedback: { class: 'delivery_details', key: 'received_at', keyType: 'timestamptz' },
  campaign_failure: {
    class: 'delivery_details',
    key: 'campaign_id',
    keyType: 'uuid',
    keeps: 'unfinished campaigns',
  },
  campaign_recipient: {
    class: 'delivery_details',
    key: 'campaign_id',
    keyType: 'uuid',
    keeps: 'unfinished campaigns',
  },
  complaint_day: { class: 'delivery_details', key: 'day', keyType: 'timestamptz', isWhole: true },
  domain_report: { class: 'delivery_details', key: 'day', keyType: 'timestamptz', isWhole: true },
  dmarc_source: { class: 'delivery_details', key: 'day', keyType: 'timestamptz', isWhole: true },
  reported_tls_result: {
    class: 'delivery_details',
    key: 'day',
    keyType: 'timestamptz',
    isWhole: true,
  },
  raw_notice: { class: 'raw_notices', key: 'received_at', keyType: 'timestamptz' },
  event: { class: 'events', key: 'id', keyType: 'uuid' },
  webhook_delivery: { class: 'events', key: 'event_id', keyType: 'uuid' },
  audit_log: { class: 'audit_log', key: 'id', keyType: 'uuid' },
  recipient: {
    class: 'messages',
    key: 'message_id',
    keyType: 'uuid',
    keeps: 'unfinished messages',
    isWhole: true,
  },
  message: {
    class: 'messages',
    key: 'id',
    keyType: 'uuid',
    keeps: 'unfinished messages',
    isWhole: true,
  },
  message_search: { class: 'messages', key: 'at', keyType: 'timestamptz', isWhole: true },
} as const satisfies Readonly<Record<string, PartitionedTable>>

export const partitionedTables: Readonly<
  Record<string, PartitionedTable & { class: (typeof tables)[keyof typeof tables]['class'] }>
> = tables
