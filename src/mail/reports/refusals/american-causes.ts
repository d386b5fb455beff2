/** Lists the refusals of providers in America, and of Tencent, that name their cause. */
import { causesOf } from './refusal-cause.ts'

const readOn = '2026-11-26'

const comcast = causesOf(
  { provider: 'Comcast', source: 'https://www.xfinity.com/support/articles/email-errors', readOn },
  [
    {
      id: 'comcast_patterns',
      requirement: 'reputation',
      says: /\bBL000000\b/,
      link: 'https://spa.xfinity.com/report',
    },
    {
      id: 'comcast_block_lists',
      requirement: 'blocklist',
      says: /\bBL(?!000000)[01]{6}\b/,
      link: 'https://check.spamhaus.org/query/ip/{ip}',
    },
    { id: 'comcast_rate', requirement: 'rate', says: /\bRL0000\d\d\b/ },
    {
      id: 'comcast_ptr',
      requirement: 'reverse_dns',
      says: /\bPTR100\d\b|\bES0000[01]\d\b|reverse dns failure : try again later/i,
    },
  ],
)

const cox = causesOf(
  {
    provider: 'Cox',
    source: 'https://www.cox.com/residential/support/email-error-codes.html',
    readOn,
  },
  [
    { id: 'cox_block_list', requirement: 'blocklist', says: /\bCXBL\b/ },
    { id: 'cox_ptr', requirement: 'reverse_dns', says: /\bCXDNS\b/ },
    { id: 'cox_rate', requirement: 'rate', says: /\bCX(?:THRT|CNCT)\b/ },
  ],
)

const att = causesOf(
  {
    provider: 'AT&T',
    source: 'https://www.att.com/support/article/email-support/KM1010523/',
    readOn,
  },
  [
    { id: 'att_block_list', requirement: 'blocklist', says: /\bDNSBL:(?:ATT)?RBL \d+ ?</i },
    { id: 'att_ptr', requirement: 'reverse_dns', says: /fix reverse dns for \S+/i },
  ],
)

const tencent = causesOf(
  { provider: 'QQ', source: 'https://service.mail.qq.com/detail/122', readOn },
  [
    { id: 'qq_content', requirement: 'content', says: /mail content denied/i },
    {
      id: 'qq_rate',
      requirement: 'rate',
      says: /(?:ip|domain|connection|mail|sender) frequency limited/i,
    },
  ],
)

export const americanCauses = [...comcast, ...cox, ...att, ...tencent]
