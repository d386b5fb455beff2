/**
 * This file declares the modules that the build generates (web/build/), and files that are no code.
 */
// A module that is declared has no imports by a relative name (TS2439).
/* oxlint-disable typescript/consistent-type-imports */
declare module 'virtual:contract' {
  interface Route {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
    /** `{name}` is a parameter. */
    path: string
    entry: 'api' | 'workspace' | 'user'
    /** The answer is a file. */
    file?: true
    takesFile?: true
  }
  export const routes: Record<import('../../src/contract/operations.ts').OperationId, Route>
  export const acts: readonly import('../../src/contract/audit-actions.ts').ActName[]
  export const eventTypes: readonly import('../../src/contract/events.ts').EventType[]
  export const fieldTypes: typeof import('../../src/contract/field-types.ts').fieldTypes
  export const fieldPatterns: typeof import('../../src/contract/field-types.ts').fieldPatterns
  export const pageNames: typeof import('../../src/contract/page-names.ts').pageNames
  export const scopes: import('../../src/contract/scopes.ts').Scope[]
  export const deliveryStatuses: readonly import('../../src/contract/webhooks.ts').DeliveryStatus[]
  export const messageStatuses: readonly import('../../src/contract/workspace/messages.ts').MessageLine['status'][]
  export const requestOutcomes: readonly import('../../src/contract/workspace/requests.ts').RequestOutcome[]
  export const requestCodes: readonly import('../../src/contract/errors.ts').ApiErrorCode[]
  export const reasonsLiftedTogether: typeof import('../../src/contract/workspace/suppression-table.ts').reasonsLiftedTogether
  export const memberLanguages: typeof import('../../src/ground/texts/languages.ts').memberLanguages
  export const recipientLanguages: typeof import('../../src/ground/texts/languages.ts').recipientLanguages
  export const languageNames: typeof import('../../src/ground/texts/languages.ts').languageNames
  export const limits: typeof import('../../src/contract/limits.ts').limits
  export const settingLimits: typeof import('../../src/contract/workspace/setting-limits.ts').settingLimits
  export const audienceLimits: typeof import('../../src/contract/workspace/audience-limits.ts').audienceLimits
  export const bulkLimits: typeof import('../../src/contract/workspace/bulk-limits.ts').bulkLimits
  export const segmentLimits: typeof import('../../src/contract/workspace/segment-limits.ts').segmentLimits
  export const imageLimits: typeof import('../../src/contract/workspace/images.ts').imageLimits
  export const userLimits: typeof import('../../src/contract/workspace/user-schemas.ts').userLimits
  export const noteMax: number
  export const bounceRateMax: number
  export const complaintRateMax: number
  export const reportRecordsMax: number
}
/* oxlint-enable typescript/consistent-type-imports */
declare module 'virtual:texts/*' {
  /** By area. */
  const texts: Record<string, () => Promise<{ default: Record<string, string> }>>
  export default texts
}
declare module '*.module.css' {
  const classes: Record<string, string>
  export default classes
}
declare module '*.css'
declare module '*.svg' {
  const address: string
  export default address
}
