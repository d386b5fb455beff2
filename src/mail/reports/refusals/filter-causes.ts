/**
 * Lists the refusals of filters that companies put before their mail servers, as far as they name
 * their cause.
 */
import { causesOf } from './refusal-cause.ts'

const readOn = '2026-11-26'

const mimecast = causesOf(
  {
    provider: 'Mimecast',
    source: 'https://community.mimecast.com/s/article/Mimecast-SMTP-Error-Codes-842605754',
    readOn,
  },
  [
    { id: 'mimecast_spf', requirement: 'spf', says: /spf sender invalid - envelope rejected/i },
    { id: 'mimecast_dkim', requirement: 'dkim', says: /dkim sender invalid - envelope rejected/i },
    {
      id: 'mimecast_dmarc',
      requirement: 'alignment',
      says: /dmarc sender invalid - envelope rejected/i,
    },
    {
      id: 'mimecast_reputation',
      requirement: 'reputation',
      says: /local ct ip reputation - \(reject\)|csi\.mimecast\.org/i,
      link: 'https://community.mimecast.com/docs/DOC-1369',
    },
    {
      id: 'mimecast_content',
      requirement: 'content',
      says: /e-?mail rejected due to security policies/i,
    },
    {
      id: 'mimecast_organisation',
      requirement: 'recipient_policy',
      says: /administrative prohibition -? ?envelope blocked|envelope (?:blocked|rejected) . (?:user|block policy)|header.based (?:anti-spoofing|(?:manually )?blocked senders)/i,
    },
  ],
)

const proofpoint = causesOf(
  { provider: 'Proofpoint', source: 'https://ipcheck.proofpoint.com/', readOn },
  [
    {
      id: 'proofpoint_block_list',
      requirement: 'blocklist',
      says: /proofpoint\.com\/(?:dnsbl-lookup|\?ip)|blocked using proofpoint/i,
      link: 'https://ipcheck.proofpoint.com/?ip={ip}',
    },
  ],
)

const cloudmark = causesOf(
  { provider: 'Cloudmark', source: 'https://csi.cloudmark.com/en/reset/', readOn },
  [
    {
      id: 'cloudmark_block_list',
      requirement: 'blocklist',
      says: /csi\.cloudmark\.com|cloudmark sender intelligence/i,
      link: 'https://csi.cloudmark.com/en/reset/',
    },
  ],
)

const barracuda = causesOf(
  { provider: 'Barracuda', source: 'https://www.barracudacentral.org/rbl', readOn },
  [
    {
      id: 'barracuda_block_list',
      requirement: 'blocklist',
      says: /barracuda ?reputation|barracudacentral|barracudanetworks\.com\/reputation/i,
      link: 'https://www.barracudacentral.org/rbl/removal-request/{ip}',
    },
    {
      id: 'barracuda_organisation',
      requirement: 'recipient_policy',
      says: /permanent failure for one or more recipients \(.{0,4}:blocked\)/i,
      source: 'https://campus.barracuda.com/product/emailgatewaydefense/doc/96022967/',
    },
  ],
)

const others = [
  ...causesOf(
    { provider: 'Cisco', source: 'https://talosintelligence.com/reputation_center', readOn },
    [
      {
        id: 'cisco_reputation',
        requirement: 'reputation',
        says: /rejected due to the sending mta.s poor reputation/i,
        link: 'https://talosintelligence.com/reputation_center/lookup?search={ip}',
      },
    ],
  ),
  ...causesOf(
    {
      provider: 'Trend Micro',
      source: 'https://servicecentral.trendmicro.com/en-us/ers/ip-lookup/',
      readOn,
    },
    [
      {
        id: 'trendmicro_block_list',
        requirement: 'blocklist',
        says: /trend micro rbl|mail-abuse\.com/i,
        link: 'https://servicecentral.trendmicro.com/en-us/ers/ip-lookup/',
      },
    ],
  ),
  ...causesOf(
    {
      provider: 'Amazon SES',
      source: 'https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html',
      readOn,
    },
    [
      {
        id: 'ses_identity',
        requirement: 'dkim',
        says: /email address is not verified\. the following identities failed the check/i,
      },
    ],
  ),
]

export const filterCauses = [...mimecast, ...proofpoint, ...cloudmark, ...barracuda, ...others]
