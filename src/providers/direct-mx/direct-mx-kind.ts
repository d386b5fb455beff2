/**
 * Describes direct delivery to the registry: its settings are the deployment's, also for a
 * workspace that chooses it.
 */
import { hostname } from 'node:os'
import { passed } from '../provider-check.ts'
import type { ProviderChoice, ProviderKind } from '../provider-kind.ts'
import { spfAddress, spfName } from '../spf-terms.ts'
import { createDirectMx } from './create-direct-mx.ts'

export const directMxKind: ProviderKind = {
  dialsHosts: true,
  settings: [],
  read: () => choice,
  readDeployment: () => choice,
  spfTerms: ({ sourceAddresses, heloName }) =>
    sourceAddresses.length > 0 ? sourceAddresses.map(spfAddress) : spfName(heloName ?? hostname()),
}

const choice: ProviderChoice = {
  type: 'direct-mx',
  open: ({ directMx }) => createDirectMx(directMx),
  check: () =>
    Promise.resolve(
      passed(
        'provider',
        'direct-mx: mail goes to the hosts of its recipients; doctor --delivery tries it',
      ),
    ),
  feedback: null,
  relay: null,
}
