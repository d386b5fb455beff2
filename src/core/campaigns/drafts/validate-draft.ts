/**
 * Validates a typed draft with the rules of a creation, and lists the problems instead of refusing.
 */
import { ApiError } from '../../../contract/errors.ts'
import { onlyFields, partOf, type CampaignMail } from '../../../contract/campaign-fields.ts'
import { CampaignRequest } from '../../../contract/campaigns.ts'
import type { DraftProblem, TypedDraft } from '../../../contract/workspace/drafts.ts'
import type { Database } from '../../../database/client/database.ts'
import { typedToStored } from '../field-values.ts'
import { readCampaign } from '../read-campaign.ts'

export type ValidDraft =
  | { mail: CampaignMail; problems: [] }
  | { mail: null; problems: DraftProblem[] }

export async function validateDraft(
  ctx: { db: Database },
  { workspaceId, typed }: { workspaceId: number; typed: TypedDraft },
): Promise<ValidDraft> {
  const missing = missingLines(typed)
  try {
    const written = await readCampaign(ctx, { workspaceId, request: requestOf(typed) })
    if (missing.length > 0) return { mail: null, problems: missing }
    return { mail: { ...typedToStored(typed), ...written }, problems: [] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { mail: null, problems: [...missing, ...problemsOf(error, typed)] }
  }
}

const neededFields = partOf('needed')

const missingLines = (typed: TypedDraft): DraftProblem[] =>
  Object.entries(onlyFields(typed, neededFields)).flatMap(([path, text]) =>
    text.trim() === '' ? [{ path, rule: 'required' }] : [],
  )

/** The request of the chosen kind of content. */
export function requestOf(typed: TypedDraft): CampaignRequest {
  const {
    text: _text,
    content: _content,
    html: _html,
    ...lines
  } = onlyFields(typed, CampaignRequest.properties)
  return { ...lines, [typed.kind]: typed[typed.kind] }
}

function problemsOf({ code, details }: ApiError, { kind, from }: TypedDraft): DraftProblem[] {
  if (code !== 'validation_error')
    return [{ path: 'from', rule: code, ...(from !== null && { value: from }) }]
  const problems = readProblems(details['errors'])
  // Missing content is reported at the chosen kind.
  return problems.map((problem) =>
    problem.rule === 'one_content' ? { path: kind, rule: 'required' } : problem,
  )
}

/** `content-problems.ts` and `shapeError` wrote them, so they have this shape. */
const readProblems = (errors: unknown): DraftProblem[] => errors as DraftProblem[]
