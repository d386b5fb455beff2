/** Describes the capture mailbox to the registry: no mail leaves, and it has no settings. */
import { passed } from '../provider-check.ts'
import type { ProviderChoice, ProviderKind } from '../provider-kind.ts'
import { createLocalCapture } from './local-capture.ts'

export const localCaptureKind: ProviderKind = {
  captures: true,
  settings: [],
  read: () => localCaptureChoice,
  readDeployment: () => localCaptureChoice,
  spfTerms: () => [],
}

export const localCaptureChoice: ProviderChoice = {
  type: 'local-capture',
  open: ({ clock }) => createLocalCapture(clock),
  check: ({ baseUrl }) =>
    Promise.resolve(
      passed(
        'provider',
        `capture mailbox: no mail leaves of workspaces without a provider of their own; it is shown on ${baseUrl}/captured`,
      ),
    ),
  feedback: null,
  relay: null,
}
