/**
 * Names the columns of a campaign's fields for the statements, as the contract's table of fields
 * has them.
 */
import { partOf, type CampaignMail, type StoredCampaign } from '../../contract/campaign-fields.ts'
import { columnList, columnOf } from '../../database/client/fragment.ts'

type Columns = [field: string, column: string][]

const all: Columns = Object.entries(partOf('column'))
const annotations: Columns = Object.entries(partOf('column', { annotation: true }))
const mail = all.filter(([field]) => !annotations.some(([annotation]) => annotation === field))

const written = (columns: Columns) => columnList(columns.map(([, column]) => column))
const selected = (columns: Columns) =>
  columnList(columns.map(([field, column]) => `c.${column} as ${columnOf(field)}`))

/** Columns in the order in which they are written. */
export const mailColumns = written(mail)
export const annotationColumns = written(annotations)

/** Columns of `campaign c` under the names of their fields. */
export const selectedMail = selected(mail)
const ofReaders = mail.filter(([field]) => field !== 'name')
/** The same without their names: all that a reader of the mail can see. */
export const columnsOfReaders = columnList(ofReaders.map(([, column]) => `c.${column}`))
/** The same of a record that is to be stored. */
export const writtenOfReaders = written(ofReaders)
/** All of them but the content, which is large. */
export const selectedLines = selected(all.filter(([field]) => field !== 'source'))

/** Values by column as JSON, for `json_populate_record`. */
export const mailRecord = (values: CampaignMail): string => recordOf(mail, values)
export const annotationRecord = (values: Partial<StoredCampaign>): string =>
  recordOf(annotations, values)

function recordOf(columns: Columns, values: object): string {
  const byField = new Map(Object.entries(values))
  return JSON.stringify(
    Object.fromEntries(columns.map(([field, column]) => [column, byField.get(field)])),
  )
}
