/** Binds a sealed private key to its workspace, domain and selector: it does not open elsewhere. */
export const keyPurpose = ({
  workspaceId,
  domain,
  selector,
}: {
  workspaceId: number
  domain: string
  selector: string
}): string => `domain key ${workspaceId} ${domain} ${selector}`
