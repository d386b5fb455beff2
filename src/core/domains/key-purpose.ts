/** What a private key is sealed for: moved to another workspace, domain or selector, it does not open. */
export const keyPurpose = ({
  workspaceId,
  domain,
  selector,
}: {
  workspaceId: number
  domain: string
  selector: string
}): string => `domain key ${workspaceId} ${domain} ${selector}`
