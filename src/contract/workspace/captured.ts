/** Defines what users alone read of captured mails: the list's state, and files. */
import { CapturedEntry } from '../captured.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { Text, Type, listOf } from '../schema.ts'

export const CapturedState = Type.Object({
  ...listOf(CapturedEntry).properties,
  cursor: Type.String(),
  captures: Type.Boolean({ description: 'Whether mail of this workspace is captured now.' }),
})

const params = Type.Object({ id: Type.String() })
const captured = operationsOf({ ...ofMembers, tag: 'E-mails', params })

export const capturedOperations = {
  getCapturedHtml: captured.get('/api/v1/captured/{id}/html', fileAnswer, {
    summary: "Show a captured mail's html",
    description: 'For a frame that runs nothing.',
    query: Type.Object({ images: Text.optional() }),
  }),
  getCapturedRaw: captured.get('/api/v1/captured/{id}/raw', fileAnswer, {
    summary: 'Download a captured mail',
    description: 'The bytes that would have left.',
  }),
  getCapturedFile: captured.get('/api/v1/captured/{id}/files/{position}', fileAnswer, {
    summary: 'Download an attachment of a captured mail',
    description: 'As it was in the mail.',
    params: Type.Object({ id: Type.String(), position: Type.String() }),
  }),
}
