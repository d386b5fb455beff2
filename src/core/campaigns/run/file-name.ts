/** The name under which something of a campaign is kept as a file: letters, digits and hyphens of what people called it. */
export function fileNameOf(campaignName: string, what: string, ending: 'csv' | 'json'): string {
  const plain = campaignName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .toLowerCase()
  return `${plain === '' ? 'campaign' : plain}-${what.replaceAll('_', '-')}.${ending}`
}
