/** DMARC and TLS reports in the shapes that receivers send, and the mails that bring them. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'

export interface ShapedRecord {
  source: string
  count: number
  disposition: 'none' | 'quarantine' | 'reject'
  dkim: boolean
  spf: boolean
  headerFrom: string
  selector?: string
}

export interface Shape {
  reporter: string
  organisation: string
  domain: string
  id: string
  begins: number
  records: ShapedRecord[]
}

/** How each receiver writes: its XML, how it packs it, and what it calls the file. */
export const receivers: Record<
  string,
  {
    from: string
    xml(shape: Shape): string
    pack: 'gzip' | 'zip' | 'plain'
    type: string
    whole: boolean
  }
> = {
  google: {
    from: 'noreply-dmarc-support@google.com',
    xml: (shape) => plainXml(shape),
    pack: 'zip',
    type: 'application/zip',
    whole: true,
  },
  yahoo: {
    from: 'dmarchelp@yahooinc.com',
    xml: (shape) => plainXml(shape, { spfScope: true }),
    pack: 'gzip',
    type: 'application/gzip',
    whole: false,
  },
  microsoft: {
    from: 'dmarcreport@microsoft.com',
    xml: (shape) =>
      plainXml(shape, {
        attributes:
          ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
        envelopeTo: true,
      }),
    pack: 'gzip',
    type: 'application/gzip',
    whole: false,
  },
  mailru: {
    from: 'dmarc_support@corp.mail.ru',
    xml: (shape) => plainXml(shape, { reasons: true }),
    pack: 'gzip',
    type: 'application/gzip',
    whole: false,
  },
  fastmail: {
    from: 'reports@fastmaildmarc.com',
    xml: (shape) => plainXml(shape, { comment: true }),
    pack: 'gzip',
    type: 'application/gzip',
    whole: false,
  },
  rfc9990: {
    from: 'dmarc@mailbox.example',
    xml: (shape) =>
      plainXml(shape, { attributes: ' xmlns="urn:ietf:params:xml:ns:dmarc-2.0"', bis: true }),
    pack: 'gzip',
    type: 'application/gzip',
    whole: false,
  },
  prefixed: {
    from: 'postmaster@mx.example',
    xml: (shape) => plainXml(shape, { prefix: 'd:' }),
    pack: 'plain',
    type: 'text/xml',
    whole: false,
  },
  bare: {
    from: 'dmarc@small.example',
    xml: (shape) => bareXml(shape),
    pack: 'zip',
    type: 'application/x-zip-compressed',
    whole: false,
  },
  octets: {
    from: 'noreply@octets.example',
    xml: (shape) => `\uFEFF${plainXml(shape)}`,
    pack: 'zip',
    type: 'application/octet-stream',
    whole: false,
  },
}

interface XmlOptions {
  attributes?: string
  prefix?: string
  envelopeTo?: boolean
  reasons?: boolean
  comment?: boolean
  spfScope?: boolean
  bis?: boolean
}

const result = (passed: boolean): string => (passed ? 'pass' : 'fail')

function plainXml(
  { organisation, reporter, domain, id, begins, records }: Shape,
  options: XmlOptions = {},
): string {
  const { attributes = '', prefix = '', envelopeTo, reasons, comment, spfScope, bis } = options
  const rows = records.map(
    ({ source, count, disposition, dkim, spf, headerFrom, selector }) => `
  <record>
    <row>
      <source_ip>${source}</source_ip>
      <count>${count}</count>
      <policy_evaluated>
        <disposition>${bis && disposition === 'none' ? 'pass' : disposition}</disposition>
        <dkim>${result(dkim)}</dkim>
        <spf>${result(spf)}</spf>${reasons ? '\n        <reason>\n          <type>local_policy</type>\n          <comment>arc=pass &amp; trusted</comment>\n        </reason>' : ''}
      </policy_evaluated>
    </row>
    <identifiers>${envelopeTo ? '\n      <envelope_to>outlook.com</envelope_to>\n      <envelope_from>bounce.' + domain + '</envelope_from>' : ''}
      <header_from>${headerFrom}</header_from>
    </identifiers>
    <auth_results>
      <dkim>
        <domain>${headerFrom}</domain>${selector === undefined ? '' : `\n        <selector>${selector}</selector>`}
        <result>${result(dkim)}</result>
      </dkim>
      <spf>
        <domain>${spf ? `bounce.${headerFrom}` : 'elsewhere.example'}</domain>${spfScope ? '\n        <scope>mfrom</scope>' : ''}
        <result>${result(spf)}</result>
      </spf>
    </auth_results>
  </record>`,
  )
  const xml = `<?xml version="1.0" encoding="UTF-8" ?>${comment ? '\n<!-- an aggregate report -->' : ''}
<feedback${attributes}>
  <version>${bis ? '2.0' : '1.0'}</version>
  <report_metadata>
    <org_name>${organisation}</org_name>
    <email>dmarc@${reporter}</email>
    <extra_contact_info>https://${reporter}/dmarc</extra_contact_info>
    <report_id>${id}</report_id>
    <date_range>
      <begin>${begins}</begin>
      <end>${begins + 86_399}</end>
    </date_range>${bis ? '\n    <generator>Example/1.0</generator>' : ''}
  </report_metadata>
  <policy_published>
    <domain>${domain}</domain>
    <adkim>r</adkim>
    <aspf>r</aspf>
    <p>none</p>
    <sp>none</sp>${bis ? '\n    <np>none</np>\n    <testing>n</testing>\n    <discovery_method>treewalk</discovery_method>' : '\n    <pct>100</pct>'}
  </policy_published>${rows.join('')}
</feedback>
`
  return prefix === ''
    ? xml
    : xml
        .replaceAll(/<(\/?)([a-z_]+)/g, `<$1${prefix}$2`)
        .replace(
          `<${prefix}feedback`,
          `<${prefix}feedback xmlns:d="http://dmarc.org/dmarc-xml/0.1"`,
        )
}

/** As little as a reader can use, on one line. */
const bareXml = ({ organisation, domain, id, begins, records }: Shape): string =>
  `<feedback><report_metadata><org_name>${organisation}</org_name><report_id>${id}</report_id><date_range><begin>${begins}</begin><end>${begins + 86_400}</end></date_range></report_metadata><policy_published><domain>${domain}</domain></policy_published>${records
    .map(
      ({ source, count, disposition, dkim, spf, headerFrom }) =>
        `<record><row><source_ip>${source}</source_ip><count>${count}</count><policy_evaluated><disposition>${disposition}</disposition><dkim>${result(dkim)}</dkim><spf>${result(spf)}</spf></policy_evaluated></row><identifiers><header_from>${headerFrom}</header_from></identifiers><auth_results/></record>`,
    )
    .join('')}</feedback>`

export const pack = (text: string, how: 'gzip' | 'zip' | 'plain', name = 'report.xml'): Buffer =>
  how === 'gzip'
    ? gzipSync(text)
    : how === 'zip'
      ? zipOf([{ name, content: Buffer.from(text) }])
      : Buffer.from(text)

export interface ZipEntry {
  name: string
  content: Buffer
  /** What the archive says of it, where that is to be wrong. */
  says?: { crc?: number; size?: number; flags?: number; method?: number }
}

/** An archive as programs write it (APPNOTE 4.3). */
export function zipOf(entries: ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const { name, content, says = {} } of entries) {
    const packed = deflateRawSync(content)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(says.flags ?? 0, 2)
    head.writeUInt16LE(says.method ?? 8, 4)
    head.writeUInt32LE(says.crc ?? crc32(content), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(says.size ?? content.length, 18)
    head.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      head,
      Buffer.from(name),
      packed,
    ])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    centrals.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, tail, Buffer.from(name)]),
    )
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06', 'latin1'), end])
}

export interface ReportMailParts {
  from: string
  file: Buffer
  type: string
  /** The mail is the file itself, as Google's is. */
  whole?: boolean
  name?: string
}

export function reportMail({
  from,
  file,
  type,
  whole = false,
  name = 'report',
}: ReportMailParts): Buffer {
  const head = [
    `From: ${from}`,
    'To: dmarc@bounces.facteur.test',
    'Subject: Report Domain: shop.test',
    'Date: Thu, 26 Nov 2026 06:00:00 +0000',
    'MIME-Version: 1.0',
  ]
  const content = [
    `Content-Type: ${type}; name="${name}"`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    ...(file.toString('base64').match(/.{1,76}/g) ?? []),
  ]
  const lines = whole
    ? [...head, ...content]
    : [
        ...head,
        'Content-Type: multipart/mixed; boundary="report"',
        '',
        '--report',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'This is an aggregate report.',
        '--report',
        ...content,
        '--report--',
      ]
  return Buffer.from(`${lines.join('\r\n')}\r\n`)
}

/** A receiver's report with its mail. */
export function receiverMail(receiver: string, shape: Shape): Buffer {
  const how = receivers[receiver]
  if (!how) throw new Error(receiver)
  return reportMail({
    ...how,
    file: pack(how.xml(shape), how.pack),
    name: `${shape.reporter}!${shape.domain}!${shape.begins}.xml.${how.pack === 'zip' ? 'zip' : 'gz'}`,
  })
}

/**
 * The `n`-th of many reports: of each receiver in turn, with one to twenty records, IPv4 and IPv6,
 * passed and failed.
 */
export function shapeOf(
  n: number,
  { domain = 'shop.test', begins = 1_764_115_200 } = {},
): { receiver: string; shape: Shape } {
  const names = Object.keys(receivers)
  const receiver = names[n % names.length] ?? ''
  const reporter = receivers[receiver]?.from.split('@')[1] ?? ''
  const records = Array.from({ length: 1 + ((n * 7) % 20) }, (_, at): ShapedRecord => {
    const seed = n * 31 + at
    return {
      source:
        seed % 3 === 0 ? `2001:db8::${(seed % 65_536).toString(16)}` : `192.0.2.${seed % 256}`,
      count: 1 + ((seed * 13) % 500),
      disposition: (['none', 'none', 'quarantine', 'reject'] as const)[seed % 4] ?? 'none',
      dkim: seed % 5 !== 0,
      spf: seed % 7 !== 0,
      headerFrom: seed % 11 === 0 ? `news.${domain}` : domain,
      ...(seed % 2 === 0 ? { selector: `s${seed}` } : {}),
    }
  })
  return {
    receiver,
    shape: {
      reporter,
      organisation: reporter,
      domain,
      id: `${n}.${reporter}`,
      begins: begins + (n % 2) * 3_600,
      records,
    },
  }
}

/** As Google sends it (RFC 8460 4.4). */
export const tlsReport = ({
  id = '1',
  domain = 'shop.test',
  begins = '2026-11-25T00:00:00Z',
  host = 'mx.shop.test',
} = {}) => ({
  'organization-name': 'Google Inc.',
  'date-range': {
    'start-datetime': begins,
    'end-datetime': begins.replace('00:00:00Z', '23:59:59Z'),
  },
  'contact-info': 'smtp-tls-reporting@google.com',
  'report-id': id,
  policies: [
    {
      policy: {
        'policy-type': 'sts',
        'policy-string': ['version: STSv1', 'mode: enforce', `mx: ${host}`, 'max_age: 86400'],
        'policy-domain': domain,
        'mx-host': [host],
      },
      summary: { 'total-successful-session-count': 120, 'total-failure-session-count': 7 },
      'failure-details': [
        {
          'result-type': 'certificate-expired',
          'sending-mta-ip': '192.0.2.1',
          'receiving-ip': '198.51.100.7',
          'receiving-mx-hostname': host,
          'failed-session-count': 4,
        },
        {
          'result-type': 'starttls-not-supported',
          'receiving-mx-hostname': `backup.${domain}`,
          'failed-session-count': 2,
        },
      ],
    },
  ],
})
