/** Validates a typed draft with the rules of a creation, and lists the problems instead of refusing. */
import { ApiError } from '../../../contract/errors.ts'
import type { CampaignRequest } from '../../../contract/campaigns.ts'
import type { DraftProblem, TypedDraft } from '../../../contract/workspace/drafts.ts'
import type { CampaignDraft } from '../../../db/campaigns/campaigns.ts'
import type { Database } from '../../../db/connection/connect.ts'
import { readCampaign } from '../read-campaign.ts'

export type ValidDraft = { written: CampaignDraft; problems: [] } | { written: null; problems: DraftProblem[] }

export async function validateDraft(ctx: { db: Database }, workspaceId: number, typed: TypedDraft): Promise<ValidDraft> {
  const missing = missingLines(typed)
  try {
    const { trackOpens, trackClicks } = typed
    const written = await readCampaign(ctx, workspaceId, requestOf(typed))
    if (missing.length > 0) return { written: null, problems: missing }
    return { written: { ...written, trackOpens, trackClicks }, problems: [] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { written: null, problems: [...missing, ...problemsOf(error, typed)] }
  }
}

/** Fields that the schema of a creation requires. */
const missingLines = (typed: TypedDraft): DraftProblem[] =>
  (['name', 'subject'] as const).filter((path) => typed[path].trim() === '').map((path) => ({ path, rule: 'required' }))

/** The request of the chosen kind of content. */
function requestOf({ name, subject, preheader, from, kind, ...ways }: TypedDraft): CampaignRequest {
  const written = { name, subject, preheader, from }
  switch (kind) {
    case 'text':
      return { ...written, text: ways.text }
    case 'content':
      return { ...written, content: ways.content }
    case 'html':
      return { ...written, html: ways.html }
    default:
      return kind satisfies never
  }
}

function problemsOf({ code, details }: ApiError, { kind, from }: TypedDraft): DraftProblem[] {
  if (code !== 'validation_error') return [{ path: 'from', rule: code, ...(from !== null && { value: from }) }]
  const told = readProblems(details['errors'])
  // Missing content is reported at the chosen kind.
  return told.map((problem) => (problem.rule === 'one_content' ? { path: kind, rule: 'required' } : problem))
}

/** `content-problems.ts` and `shapeError` wrote them, so they have this shape. */
const readProblems = (errors: unknown): DraftProblem[] => errors as DraftProblem[]
