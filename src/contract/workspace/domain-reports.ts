/** Defines what mailbox providers report on a domain by mail: DMARC, TLS, complaints. */
import { ofMembers, operationsOf } from '../operations-of.ts'
import { Type, count, instant, nullable, oneOf, type Static } from '../schema.ts'

/** Days that are shown, and entries of each list. */
export const reportDays = 30
export const reportEntriesMax = 100
/** Records of a DMARC report that are read. */
export const reportRecordsMax = 2_000

const day = Type.String({ format: 'date', description: 'Of UTC.' })
const reporters = Type.Array(Type.String(), {
  description: 'The organisations that reported it, ten at most, as they call themselves.',
  examples: [['google.com']],
})
const proven = Type.Boolean({
  description:
    'The mail that brought the report was signed by the reporter. Anybody can send one that is not.',
})
const nameOrNull = (description: string) => nullable(Type.String({ description }))

const DomainReports = Type.Object({
  object: Type.Literal('domain_reports'),
  name: Type.String({ description: 'The domain, as A-label.', examples: ['mail.acme.example'] }),
  dmarc: Type.Object(
    {
      days: Type.Array(
        Type.Object({
          day,
          passed: count('Messages that passed by DKIM or SPF, aligned with From.'),
          failed: count('Messages that passed by neither.'),
          unproven: count('Messages of reports without proof, whatever they say of them.'),
        }),
        { description: 'Those with reports, the oldest first.' },
      ),
      sources: Type.Array(
        Type.Object({
          source: nameOrNull('The address that the mail came from. Null: all others together.'),
          header_from: Type.String({
            description: 'The domain in From: this one, or one below it.',
          }),
          ours: Type.Boolean({ description: 'A key of this domain here signed it.' }),
          dkim_domain: nameOrNull('A domain whose signature passed.'),
          spf_domain: nameOrNull('The domain that SPF was asked for.'),
          messages: count('All of them.'),
          passed: count('Passed by DKIM or SPF.'),
          dkim: count('Passed by DKIM.'),
          spf: count('Passed by SPF.'),
          quarantined: count('Put aside as spam for the policy.'),
          rejected: count('Refused for the policy.'),
          reporters,
          proven,
        }),
        {
          description: `Who sent as the domain: ${reportEntriesMax} at most, those with the most messages first.`,
        },
      ),
      cut_reports: count(
        `Reports of more than ${reportRecordsMax} records: the other records were not read, and count nowhere.`,
      ),
    },
    { description: 'DMARC aggregate reports (RFC 9990).' },
  ),
  tls: Type.Object(
    {
      days: Type.Array(
        Type.Object({
          day,
          succeeded: count('Sessions.'),
          failed: count('Sessions.'),
          unproven: count('Sessions of reports without proof.'),
        }),
        { description: 'Those with reports, the oldest first.' },
      ),
      results: Type.Array(
        Type.Object({
          policy_domain: Type.String({
            description: 'Where mail was sent to: the domain, or the host of its return paths.',
          }),
          policy: oneOf(['sts', 'tlsa', 'no-policy-found', 'other']),
          host: nameOrNull('The mail host. Null: the report does not say.'),
          result: Type.String({
            description: '`success`, or the kind of failure.',
            examples: ['certificate-expired'],
          }),
          sessions: count('All of them.'),
          reporters,
          proven,
        }),
        { description: `Failures first: ${reportEntriesMax} at most.` },
      ),
      record: nullable(
        Type.Object({
          name: Type.String({ examples: ['_smtp._tls.bounce.mail.acme.example'] }),
          value: Type.String({
            examples: ['v=TLSRPTv1; rua=mailto:tlsrpt@bounces.facteur.example'],
          }),
          is_found: Type.Boolean({ description: 'The last check of the domain found it.' }),
        }),
      ),
    },
    {
      description:
        'TLS reports (RFC 8460) on mail to the domain, or to the host of its return paths.',
    },
  ),
  complaints: Type.Array(
    Type.Object({
      reporter: Type.String({ examples: ['yahoo.com'] }),
      verified: count('Complaints of mails that left from here: they suppress their address.'),
      proven: count(
        'Of those, the ones that a mailbox provider sent, as its signature proves. Only these count towards the complaint rate.',
      ),
      unverified: count('Reports that prove nothing, and changed nothing.'),
      first_at: instant('The first of these days.'),
      last_at: instant('The last one.'),
    }),
    { description: 'Complaints that came by mail, by reporter.' },
  ),
})
export type DomainReports = Static<typeof DomainReports>

const params = Type.Object({
  name: Type.String({ description: 'The domain.', examples: ['mail.acme.example'] }),
})
const domains = operationsOf({ ...ofMembers, tag: 'Workspace', params })

export const domainReportOperations = {
  getDomainReports: domains.get('/api/v1/domains/{name}/reports', DomainReports, {
    summary: 'Read what mailbox providers report on a domain',
    description: `Of the last ${reportDays} days. Reports say what their senders want: nothing here changes a status, but complaints that are verified, or the reputation, but those that are proven.`,
  }),
}
