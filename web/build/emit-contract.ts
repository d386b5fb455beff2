/**
 * `virtual:contract` holds the parts of the contract that running pages need, above all how to call
 * each operation.
 */
import type { Plugin } from 'vite'
import { acts } from '../../src/contract/audit-actions.ts'
import { noteMax } from '../../src/contract/campaign-fields.ts'
import { eventTypes } from '../../src/contract/events.ts'
import { fieldPatterns, fieldTypes } from '../../src/contract/field-types.ts'
import { limits } from '../../src/contract/limits.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { allScopes as scopes } from '../../src/contract/scopes.ts'
import { pageNames } from '../../src/contract/page-names.ts'
import { bounceRateMax, complaintRateMax } from '../../src/contract/thresholds.ts'
import { deliveryStatuses } from '../../src/contract/webhooks.ts'
import { audienceLimits } from '../../src/contract/workspace/audience-limits.ts'
import { bulkLimits } from '../../src/contract/workspace/bulk-limits.ts'
import { imageLimits } from '../../src/contract/workspace/images.ts'
import { segmentLimits } from '../../src/contract/workspace/segment-limits.ts'
import { settingLimits } from '../../src/contract/workspace/setting-limits.ts'
import { userLimits } from '../../src/contract/workspace/user-schemas.ts'
import { requestCodes, requestOutcomes } from '../../src/contract/workspace/requests.ts'
import { reportRecordsMax } from '../../src/contract/workspace/domain-reports.ts'
import {
  languageNames,
  memberLanguages,
  recipientLanguages,
} from '../../src/ground/texts/languages.ts'
import { reasonsLiftedTogether } from '../../src/contract/workspace/suppression-table.ts'
import { messageStatuses } from '../../src/contract/workspace/messages.ts'

const name = 'virtual:contract'

export function emitContract(): Plugin {
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? emitted() : null),
  }
}

function emitted(): string {
  const lists = {
    acts,
    eventTypes,
    fieldTypes,
    pageNames,
    scopes,
    deliveryStatuses,
    messageStatuses,
    reasonsLiftedTogether,
    requestCodes,
    requestOutcomes,
    memberLanguages,
    recipientLanguages,
    languageNames,
  }
  const figures = {
    limits,
    settingLimits,
    audienceLimits,
    bulkLimits,
    segmentLimits,
    imageLimits,
    userLimits,
    noteMax,
  }
  const values = {
    routes: routes(),
    fieldPatterns,
    ...lists,
    ...figures,
    bounceRateMax,
    complaintRateMax,
    reportRecordsMax,
  }
  return Object.entries(values)
    .map(([each, value]) => `export const ${each} = ${JSON.stringify(value)}`)
    .join('\n')
}

function routes(): object {
  return Object.fromEntries(
    operationIds.map((id) => {
      const { method, path, entry, answer, takesFile }: Operation = operations[id]
      return [
        id,
        {
          method,
          path,
          entry,
          ...(answer.file && { file: true }),
          ...(takesFile && { takesFile }),
        },
      ]
    }),
  )
}
