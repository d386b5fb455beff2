/**
 * Signature Version 4: AWS's own published test suite, and another's code on arbitrary requests.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import aws4 from 'aws4'
import fc from 'fast-check'
import { signRequest } from '../../../src/providers/amazon-ses/sign-request.ts'

const suite = {
  region: 'us-east-1',
  service: 'service',
  at: new Date('2015-08-30T12:36:00Z'),
  credentials: {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  },
}
const letters = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const token =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='

interface Vector {
  method: 'GET' | 'POST'
  path?: string
  headers?: Record<string, string>
  body?: string
  signedHeaders?: string
  signature: string
}

/**
 * Names of the suite. Those left out send what an HTTP client of ours cannot: a path that is not
 * encoded, a header that comes twice.
 */
const vectors: Record<string, Vector> = {
  'get-vanilla': {
    method: 'GET',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  'get-unreserved': {
    ...{ method: 'GET', path: `/${letters}` },
    signature: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  },
  'get-vanilla-empty-query-key': {
    ...{ method: 'GET', path: '/?Param1=value1' },
    signature: 'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  },
  'get-vanilla-query-order-key-case': {
    ...{ method: 'GET', path: '/?Param2=value2&Param1=value1' },
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  'get-vanilla-query-unreserved': {
    ...{ method: 'GET', path: `/?${letters}=${letters}` },
    signature: '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  },
  'get-vanilla-utf8-query': {
    ...{ method: 'GET', path: '/?ሴ=bar' },
    signature: '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  },
  'get-header-value-order': {
    ...{
      method: 'GET',
      headers: { 'My-Header1': 'value4,value1,value3,value2' },
      signedHeaders: 'host;my-header1;x-amz-date',
    },
    signature: '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
  },
  'get-header-value-trim': {
    ...{ method: 'GET', headers: { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' } },
    signedHeaders: 'host;my-header1;my-header2;x-amz-date',
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  'post-vanilla': {
    method: 'POST',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  'post-header-key-sort': {
    ...{
      method: 'POST',
      headers: { 'My-Header1': 'value1' },
      signedHeaders: 'host;my-header1;x-amz-date',
    },
    signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  },
  'post-header-value-case': {
    ...{
      method: 'POST',
      headers: { 'My-Header1': 'VALUE1' },
      signedHeaders: 'host;my-header1;x-amz-date',
    },
    signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  },
  'post-sts-header-before': {
    ...{
      method: 'POST',
      headers: { 'X-Amz-Security-Token': token },
      signedHeaders: 'host;x-amz-date;x-amz-security-token',
    },
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
  'post-vanilla-query': {
    ...{ method: 'POST', path: '/?Param1=value1' },
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  'post-x-www-form-urlencoded': {
    ...{
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'Param1=value1',
    },
    signedHeaders: 'content-type;host;x-amz-date',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  'post-x-www-form-urlencoded-parameters': {
    ...{
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf8' },
      body: 'Param1=value1',
    },
    signedHeaders: 'content-type;host;x-amz-date',
    signature: '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
  },
}

for (const [
  name,
  { method, path = '/', headers = {}, body = '', signedHeaders = 'host;x-amz-date', signature },
] of Object.entries(vectors)) {
  test(`AWS's test suite: ${name}`, () => {
    const url = new URL(`https://example.amazonaws.com${path}`)
    const { authorization } = signRequest(
      { method, url, headers, body, ...suite },
      suite.credentials,
    )
    const scope = 'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request'
    assert.equal(
      authorization,
      `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    )
  })
}

test('a temporary key: its session token is sent and signed, as aws4 does', () => {
  const url = new URL('https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails')
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '2' }
  const credentials = { ...suite.credentials, sessionToken: token }
  const ours = signRequest({ method: 'POST', url, headers, body: '{}', ...suite }, credentials)
  assert.equal(ours['x-amz-security-token'], token)
  assert.match(ours.authorization ?? '', /SignedHeaders=[^,]*x-amz-security-token/)
  const reference = aws4.sign(
    {
      ...{
        method: 'POST',
        service: suite.service,
        region: suite.region,
        body: '{}',
        host: url.host,
        path: url.pathname,
      },
      headers: { ...headers, 'X-Amz-Date': ours['x-amz-date'] },
    },
    credentials,
  )
  assert.equal(ours.authorization, reference.headers?.Authorization)
})

test('arbitrary requests are signed as aws4 signs them', () => {
  const unit = fc.constantFrom(...'abcXYZ019 -_.~!*\'()/+&=?"%é漢')
  const text = fc.string({ unit, maxLength: 12 })
  const name = fc.string({ unit, minLength: 1, maxLength: 12 })
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    query: fc.uniqueArray(fc.tuple(name, text), { maxLength: 5, selector: ([first]) => first }),
    header: fc.stringMatching(/^[!-~](?:[ -~]{0,10}[!-~])?$/),
    body: fc.string({ unit: 'binary', maxLength: 30 }),
  })
  fc.assert(
    fc.property(request, ({ method, query, header, body }) => {
      const url = new URL('https://sqs.eu-west-1.amazonaws.com/a/b-c_d~e')
      for (const [key, value] of query) url.searchParams.append(key, value)
      const headers = {
        'X-Header': header,
        'Content-Type': 'text/plain',
        'Content-Length': String(Buffer.byteLength(body)),
      }
      const ours = signRequest({ method, url, headers, body, ...suite }, suite.credentials)
      const reference = aws4.sign(
        {
          ...{ method, service: suite.service, region: suite.region, body, host: url.host },
          path: url.pathname + url.search.replaceAll('+', '%20'),
          headers: { ...headers, 'X-Amz-Date': ours['x-amz-date'] },
        },
        suite.credentials,
      )
      assert.equal(ours.authorization, reference.headers?.Authorization)
    }),
    { numRuns: 300 },
  )
})
