/**
 * Makes the file name of a campaign's download: letters, digits and hyphens of the campaign's name.
 */
export function fileNameOf(campaignName: string, what: string, ending: 'csv' | 'json'): string {
  const plain = campaignName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
    .toLowerCase()
  return `${plain === '' ? 'campaign' : plain}-${what.replaceAll('_', '-')}.${ending}`
}
