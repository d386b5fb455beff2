/**
 * DMARC reports of the shapes that receivers send are read; whatever else somebody sends is
 * refused.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readDmarcMail } from '../../../src/mail/reports/attached-report.ts'
import { reportRecordsMax } from '../../../src/contract/workspace/domain-reports.ts'
import { readDmarcReport } from '../../../src/mail/reports/dmarc-report.ts'
import { readTlsReport } from '../../../src/mail/reports/tls-report.ts'
import { unpackReport } from '../../../src/mail/reports/unpack-report.ts'
import { hostileReports } from '../../support/hostile-reports.ts'
import {
  receiverMail,
  receivers,
  reportMail,
  shapeOf,
  zipOf,
  type Shape,
  tlsReport,
} from '../../support/report-mails.ts'

/** What has to be read of a shape. */
const expected = (
  { domain, id, begins, records }: Shape,
  hasSelectors: boolean,
  hasResults: boolean,
): object => ({
  ...{ reportId: id, begins, policyDomain: domain },
  records: records.map(({ source, count, disposition, dkim, spf, headerFrom, selector }) => ({
    ...{ source, messages: count, disposition, dkim, spf, headerFrom },
    signatures:
      dkim && hasResults
        ? [{ domain: headerFrom, selector: hasSelectors ? (selector ?? null) : null }]
        : [],
    spfDomain: hasResults ? (spf ? `bounce.${headerFrom}` : 'elsewhere.example') : null,
  })),
  isCut: false,
})

test('1,000 reports of nine shapes are read, each value of them', async () => {
  for (let n = 0; n < 1_000; n++) {
    const { receiver, shape } = shapeOf(n)
    const { report, reporter } = await readDmarcMail(receiverMail(receiver, shape), 0)
    assert.deepEqual(report, expected(shape, receiver !== 'bare', receiver !== 'bare'), receiver)
    assert.equal(reporter, receivers[receiver]?.from.split('@')[1])
  }
})

for (const [name, make] of Object.entries(hostileReports))
  test(`refused: ${name}`, async () => {
    await assert.rejects(readDmarcMail(make(), 0))
  })

test('there are more than fifty of them', () => assert.ok(Object.keys(hostileReports).length >= 50))

test('what a report may leave out, and what reporters write instead', () => {
  const read = (xml: string) => readDmarcReport(Buffer.from(xml))
  const report = (records: string, begin = '1764115200'): string =>
    `<feedback><report_metadata><report_id>a</report_id><date_range><begin>${begin}</begin></date_range></report_metadata><policy_published><domain>Shop.TEST.</domain></policy_published>${records}</feedback>`
  assert.deepEqual(read(report('')), {
    reportId: 'a',
    begins: 1_764_115_200,
    policyDomain: 'shop.test',
    records: [],
    isCut: false,
  })
  assert.equal(read(report('', '1764115200000')).begins, 1_764_115_200, 'milliseconds')
  assert.equal(read(report('', ' 1764115200.5 ')).begins, 1_764_115_200)
  const row = '<row><source_ip>192.0.2.1</source_ip><count>2</count></row>'
  const [bare] = read(report(`<record>${row}</record>`)).records
  assert.deepEqual(bare, {
    ...{
      source: '192.0.2.1',
      messages: 2,
      disposition: 'none',
      dkim: false,
      spf: false,
      headerFrom: 'shop.test',
      signatures: [],
      spfDomain: null,
    },
  })
  const old = `<record>${row}<identities><header_from>old.shop.test</header_from></identities></record>`
  assert.equal(
    read(report(old)).records[0]?.headerFrom,
    'old.shop.test',
    'drafts called identifiers identities',
  )
  const nameless = report(old).replace('<domain>Shop.TEST.</domain>', '')
  assert.equal(
    read(nameless).policyDomain,
    'old.shop.test',
    'without the domain of its policy: that of its mails',
  )
  assert.equal(
    readDmarcReport(Buffer.from(nameless), 'shop.test').policyDomain,
    'shop.test',
    'or the one that the mail names',
  )
  assert.equal(
    read(report(old).replace('Shop.TEST.', ' ')).policyDomain,
    'old.shop.test',
    'an empty one is none',
  )
  assert.throws(
    () => read(report('').replace('<domain>Shop.TEST.</domain>', '')),
    /without its domain/,
  )
  for (const useless of [
    '<source_ip>host.test</source_ip><count>1</count>',
    '<source_ip>192.0.2.1</source_ip><count>-1</count>',
    '<source_ip>192.0.2.1</source_ip><count>1e99</count>',
  ])
    assert.deepEqual(
      read(report(`<record><row>${useless}</row></record><record>${row}</record>`)).records.length,
      1,
    )
})

test('a report of more records than are stored is read to that number, and says so', () => {
  const { shape } = shapeOf(7)
  const [record] = shape.records
  assert.ok(record)
  for (const [count, isCut] of [
    [reportRecordsMax, false],
    [reportRecordsMax + 1, true],
    [reportRecordsMax + 500, true],
  ] as const) {
    const xml =
      receivers['google']?.xml({
        ...shape,
        records: Array.from({ length: count }, () => record),
      }) ?? ''
    const report = readDmarcReport(Buffer.from(xml))
    assert.deepEqual([report.records.length, report.isCut], [reportRecordsMax, isCut])
  }
})

test('around the document there may be white space, a byte order mark and tags of its schema; the file may have any type', async () => {
  const { shape } = shapeOf(1)
  const xml = (receivers['yahoo']?.xml(shape) ?? '').replace(/^<[?].*[?]>\s*/, '')
  for (const [begin, end] of [
    ['\n', ''],
    ['\uFEFF\r\n', '\uFEFF\n'],
    [
      '<?xml version="1.0"?>\n<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" version="1.0">',
      '</xs:schema>',
    ],
    ['<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>', ''],
    [
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="feedback"/></xs:schema>\n',
      '',
    ],
    ['', '\n-- \nThis list is kept by b.test\n'],
    ['', '\0\0'],
  ])
    for (const type of ['text/plain', 'text/xml', 'application/octet-stream']) {
      const file = Buffer.from(`${begin}${xml}${end}`)
      assert.equal(
        (await readDmarcMail(reportMail({ from: 'a@b.test', file, type }), 0)).report.reportId,
        shape.id,
        begin,
      )
    }
})

test('gzip: members one after the other, with a name, and bytes behind the last one', async () => {
  const text = '<feedback/>'.repeat(10)
  const packed = gzipSync(text)
  // Its flags say that a name and a comment follow the ten bytes (RFC 1952 2.3).
  const named = Buffer.concat([
    packed.subarray(0, 3),
    Buffer.from([24]),
    packed.subarray(4, 10),
    Buffer.from('a.xml\0b\0'),
    packed.subarray(10),
  ])
  for (const behind of ['', '\n', '\r\n', '\0\0\0', 'signature'])
    for (const file of [packed, named])
      assert.equal(
        String(await unpackReport(Buffer.concat([file, Buffer.from(behind)]))),
        text,
        JSON.stringify(behind),
      )
  assert.equal(String(await unpackReport(Buffer.concat([packed, named]))), text + text)
  const damaged = Buffer.from(packed)
  damaged.writeUInt32LE(7, damaged.length - 8)
  await assert.rejects(unpackReport(damaged), /wrong sum/)
  await assert.rejects(unpackReport(packed.subarray(0, packed.length - 4)), /wrong sum/)
  await assert.rejects(unpackReport(packed.subarray(0, 12)), /unexpected end/)
})

test('a report may be the mail itself, or stand in plain text behind words for readers', async () => {
  const { shape } = shapeOf(1)
  const file = Buffer.from(receivers['yahoo']?.xml(shape) ?? '')
  for (const whole of [true, false])
    assert.equal(
      (await readDmarcMail(reportMail({ from: 'a@b.test', file, type: 'text/xml', whole }), 0))
        .report.reportId,
      shape.id,
    )
})

test('a bomb is refused before it is unpacked: by its size, by its ratio, and by what a zip says of itself', async () => {
  // A hundredth of its size: the ratio lets it pass.
  const large = Buffer.alloc(40_000_000)
  for (let at = 0; at < large.length; at += 1_000)
    large.writeUIntBE((at * 2_654_435_761) % 2 ** 47, at, 6)
  const zeros = Buffer.alloc(1_000_000)
  await assert.rejects(unpackReport(gzipSync(large)), /larger than 16000000 bytes/)
  await assert.rejects(unpackReport(zipOf([{ name: 'a.xml', content: large }])), /grows too much/)
  await assert.rejects(unpackReport(gzipSync(zeros)), /larger than/)
  await assert.rejects(
    unpackReport(gzipSync(gzipSync('<feedback/>'))),
    /an archive within an archive/,
  )
  await assert.rejects(unpackReport(zipOf([{ name: 'a.xml', content: zeros }])), /grows too much/)
})

test('a TLS report: counts as texts, and bytes before and behind it', () => {
  const json = JSON.stringify(tlsReport()).replaceAll(/count":(\d+)/g, 'count":"$1"')
  assert.deepEqual(
    readTlsReport(Buffer.from(`\uFEFF\n${json}\n-- \n\0`)),
    readTlsReport(Buffer.from(JSON.stringify(tlsReport()))),
  )
  assert.ok(readTlsReport(Buffer.from(json)).results.some(({ sessions }) => sessions === 120))
})
