/** Lists the refusals of Outlook.com and Exchange Online that name their cause. */
import { causesOf } from './refusal-cause.ts'

const outlookPage = 'https://sendersupport.olc.protection.outlook.com/pm/troubleshooting'
/** Asks for the removal of an address from the lists of Outlook.com. */
const outlookForm = 'https://olcsupport.office.com/'
const outlookEnrolment = 'https://sendersupport.olc.protection.outlook.com/snds/'
const exchangeForm = 'https://sender.office.com/'

export const microsoftCauses = causesOf(
  {
    provider: 'Microsoft',
    source:
      'https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online/non-delivery-reports-in-exchange-online',
    readOn: '2026-11-26',
  },
  [
    {
      id: 'microsoft_authentication_level',
      requirement: 'alignment',
      says: /does not meet the required authentication level/i,
      source: 'https://support.microsoft.com/office/34cfe8f8-6fbf-457e-9e8b-9e4dbaf4e0ef',
    },
    {
      id: 'microsoft_dmarc_policy',
      requirement: 'alignment',
      says: /does not pass dmarc verification/i,
    },
    {
      id: 'microsoft_spf',
      requirement: 'spf',
      says: /because of sender policy framework violation/i,
    },
    {
      id: 'microsoft_ipv6_unauthenticated',
      requirement: 'dkim',
      says: /sent over ipv6 \S{0,50} ?(?:must|unless they) pass either spf or dkim/i,
    },
    {
      id: 'microsoft_ptr',
      requirement: 'reverse_dns',
      says: /sending ipv6 address \S{0,50} ?must have a reverse dns record/i,
    },
    {
      id: 'microsoft_s3140',
      requirement: 'blocklist',
      says: /network is on our block list \(A?S3140\)/i,
      ...{ link: outlookForm, source: outlookPage },
    },
    {
      id: 'microsoft_s3150',
      requirement: 'blocklist',
      says: /network is on our block list \(A?S3150\)/i,
      ...{ link: outlookForm, source: outlookPage },
    },
    {
      id: 'microsoft_block_list',
      requirement: 'blocklist',
      // S77719 and others.
      says: /network is on our block list \((?!A?S31[45]0\))/i,
      ...{ link: outlookForm, source: outlookPage },
    },
    {
      id: 'microsoft_reputation_rate',
      requirement: 'reputation',
      says: /temporarily rate limited due to ip reputation/i,
      link: outlookEnrolment,
      source: 'https://github.com/ActiveCampaign/smtp-field-manual/pull/89',
    },
    {
      id: 'microsoft_rp',
      requirement: 'reputation',
      says: /\bRP-00[1-3]\b/,
      ...{ link: outlookEnrolment, source: outlookPage },
    },
    {
      id: 'microsoft_sc',
      requirement: 'reputation',
      says: /\bSC-00[1-3]\b/,
      ...{ link: outlookForm, source: outlookPage },
    },
    {
      id: 'microsoft_sc_004',
      requirement: 'enrolment',
      says: /\bSC-004\b/,
      ...{ link: outlookEnrolment, source: outlookPage },
    },
    { id: 'microsoft_dy_001', requirement: 'reverse_dns', says: /\bDY-001\b/, source: outlookPage },
    {
      id: 'microsoft_dy_002',
      requirement: 'reputation',
      says: /\bDY-002\b/,
      ...{ link: outlookForm, source: outlookPage },
    },
    {
      id: 'microsoft_ou_001',
      requirement: 'blocklist',
      says: /\bOU-001\b/,
      ...{ link: 'https://check.spamhaus.org/query/ip/{ip}', source: outlookPage },
    },
    {
      id: 'microsoft_ou_002',
      requirement: 'reputation',
      says: /\bOU-002\b/,
      ...{ link: outlookForm, source: outlookPage },
    },
    {
      id: 'microsoft_banned_ip',
      requirement: 'blocklist',
      says: /access denied, banned sending ip/i,
      link: exchangeForm,
    },
    {
      id: 'microsoft_banned_sender',
      requirement: 'blocklist',
      says: /access denied, banned sender/i,
      link: exchangeForm,
    },
    {
      id: 'microsoft_traffic',
      requirement: 'reputation',
      says: /access denied, traffic not accepted from this ip/i,
      link: exchangeForm,
    },
    {
      id: 'microsoft_suspicious',
      requirement: 'reputation',
      says: /4\.7\.\d{3},? access denied, please try again later/i,
    },
    { id: 'microsoft_busy', requirement: 'rate', says: /4\.7\.500,? server busy/i },
    {
      id: 'microsoft_organisation',
      requirement: 'recipient_policy',
      says: /using customer block list|access denied, rejected by recipient/i,
    },
    {
      id: 'microsoft_group',
      requirement: 'recipient_policy',
      says: /RESOLVER\.RST\.(?:SenderNotAuthenticated|NotAuthorized|RestrictedToRecipients|AuthRequired)/i,
    },
  ],
)
