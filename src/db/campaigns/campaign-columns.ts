/** Names the columns of a campaign's fields for the statements, as the contract's table of fields has them. */
import { partOf } from '../../contract/campaign-fields.ts'
import type { CampaignMail } from '../../contract/campaign-fields.ts'
import { columnList } from '../connection/connect.ts'

const columns: [field: string, column: string][] = Object.entries(partOf('column'))

const selection = (of: [field: string, column: string][]) => columnList(of.map(([field, column]) => `c.${column} as "${field}"`))

/** The columns of `campaign c` under the names of the fields. */
export const selectedMail = selection(columns)
/** The same without the content, which is large. */
export const selectedLines = selection(columns.filter(([field]) => field !== 'source'))

/** The columns in the order in which they are written. */
export const mailColumns = columnList(columns.map(([, column]) => column))

/** The values by column as JSON, for `json_populate_record(null::campaign, …)`. */
export function mailRecord(mail: CampaignMail): string {
  const values: Record<string, unknown> = { ...mail }
  return JSON.stringify(Object.fromEntries(columns.map(([field, column]) => [column, values[field]])))
}
