/**
 * The manifests of `deploy/kubernetes/`: Kubernetes' published schemas take them, their settings,
 * ports and times are the program's, and their pods have no rights that the service does not need.
 * `dockerfile.test.ts` starts their containers.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv, type ValidateFunction } from 'ajv'
import { isSetting, readConfig } from '../../src/ground/config.ts'
import { submissionPorts } from '../../src/core/submission-ports.ts'
import { allRoles, readRoles } from '../../src/main/roles.ts'
import { isMemorySmall } from '../../src/ground/memory-bounds.ts'
import { blocksOf } from '../support/page-blocks.ts'
import { here } from '../support/service.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import {
  environmentOf,
  manifests,
  portNamed,
  workloadNamed,
  workloads,
  type Manifest,
} from './read-manifests.ts'

const page = 'docs/kubernetes.md'
const { version }: { version: string } = JSON.parse(
  readFileSync(join(here, 'package.json'), 'utf8'),
)

/** What the page has one write into the Secret. */
const secret = {
  DATABASE_URL: 'postgres://facteur:password@db.example.com:5432/facteur',
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  FACTEUR_OPERATOR_TOKEN: 'a-token-that-nobody-guesses',
  FACTEUR_SMTP_URL: 'smtp://user:password@smtp.example.com:587',
}

const deployments = workloads.filter(({ manifest }) => manifest.kind === 'Deployment')
const configOf = (name: string) => readConfig(environmentOf(workloadNamed(name).container, secret))

const validator = readSchemas()

test('every object is one of Kubernetes, field by field', () => {
  assert.deepEqual(
    manifests.flatMap((manifest) => failuresOf(validator, manifest)),
    [],
  )
})

test('the schemas refuse a wrong name, a wrong type and a missing field', () => {
  const changed = (change: (copy: Manifest) => void): string[] => {
    const copy = structuredClone(workloadNamed('facteur-api').manifest)
    change(copy)
    return failuresOf(validator, copy)
  }
  assert.match(
    String(changed((copy) => Object.assign(copy.spec, { replica: 2 }))),
    /additional properties/,
  )
  assert.match(
    String(changed((copy) => Object.assign(copy.spec, { replicas: '2' }))),
    /must be integer/,
  )
  assert.match(
    String(changed((copy) => delete copy.spec.selector)),
    /must have required property 'selector'/,
  )
})

test('there are all roles, the migration, and one image of this version', () => {
  assert.deepEqual(
    deployments.map(({ container: { args } }) => [args[0], ...readRoles(args.slice(1))]),
    allRoles.toSorted().map((role) => ['start', role]),
  )
  assert.deepEqual(workloadNamed('facteur-migrate').container.args, ['migrate'])
  assert.deepEqual(
    [...new Set(workloads.map(({ container }) => container.image))],
    [`registry.example.com/facteur:${version}`],
  )
})

test('the service takes the environment of each pod: every name is a setting, every value one that it reads', () => {
  for (const { name, container } of workloads) {
    const names = Object.keys(environmentOf(container, secret))
    assert.deepEqual(
      names.filter((variable) => !isSetting(variable)),
      ['FACTEUR_INVOKED_AS'],
    )
    const config = configOf(name)
    assert.deepEqual([config.provider, config.databaseUrl], ['smtp-relay', secret.DATABASE_URL])
  }
})

test('no secret stands in a manifest', () => {
  const open = Object.keys(manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {})
  for (const name of [...Object.keys(secret), 'FACTEUR_SES_SECRET_ACCESS_KEY'])
    assert.ok(!open.includes(name), name)
  for (const { container } of workloads)
    assert.ok(container.envFrom.some(({ secretRef }) => secretRef?.name === 'facteur'))
})

test('a program reaches submission by its two ports, and its certificate lies where the settings say', () => {
  const { container, pod } = workloadNamed('facteur-submission')
  const { submissionTls } = configOf('facteur-submission')
  const mount = container.volumeMounts?.find(({ readOnly }) => readOnly)
  // The names that Kubernetes and cert-manager give the files of a certificate.
  assert.deepEqual(submissionTls, {
    certFile: `${mount?.mountPath}/tls.crt`,
    keyFile: `${mount?.mountPath}/tls.key`,
  })
  const [, name = ''] =
    /kubectl create secret tls (\S+)/.exec(blocksOf(page, 'sh').join('\n')) ?? []
  const volume = pod.volumes?.find((each) => each.name === mount?.name)
  assert.deepEqual(volume, { name: mount?.name, secret: { secretName: name } })
  const service = manifests.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === 'facteur-submission',
  )
  assert.deepEqual(
    service?.spec.ports?.map(({ port, targetPort }) => [port, portNamed(container, targetPort)]),
    [
      [587, 2587],
      [465, 2465],
    ],
  )
  // No certificate is asked of the pods of other roles.
  for (const role of ['api', 'worker', 'inbound'])
    assert.equal(configOf(`facteur-${role}`).submissionTls, null)
})

test('ports are those of the settings, and probes ask the health of the role', () => {
  const { port, healthPort, inboundPort } = configOf('facteur-api')
  const { port: port587, tlsPort: port465 } = submissionPorts(configOf('facteur-submission'))
  const ports = deployments.map(({ name, container }) => [
    name,
    Object.fromEntries((container.ports ?? []).map((each) => [each.name, each.containerPort])),
  ])
  assert.deepEqual(Object.fromEntries(ports), {
    'facteur-api': { http: port },
    'facteur-inbound': { smtp: inboundPort, health: healthPort },
    'facteur-submission': { submission: port587, submissions: port465, health: healthPort },
    'facteur-worker': { health: healthPort },
  })
  for (const { name, container } of deployments) {
    const { startupProbe, livenessProbe, readinessProbe } = container
    assert.deepEqual(
      [startupProbe, livenessProbe, readinessProbe].map((probe) => [
        probe?.httpGet.path,
        probe?.httpGet.port,
      ]),
      ['/healthz', '/healthz', '/readyz'].map((path) => [
        path,
        name === 'facteur-api' ? 'http' : 'health',
      ]),
    )
  }
})

test('Services and disruption budgets choose the pods of one workload, and their ports are its', () => {
  const chosen = (kind: string): string[] =>
    manifests
      .filter((manifest) => manifest.kind === kind)
      .map(({ metadata, spec }) => {
        const expected = Object.entries(spec.selector?.matchLabels ?? spec.selector ?? {})
        const matches = workloads.filter(({ manifest }) =>
          expected.every(
            ([name, value]) => manifest.spec.template?.metadata.labels[name] === value,
          ),
        )
        assert.deepEqual(
          matches.map(({ name }) => name),
          [metadata.name],
        )
        for (const { targetPort } of spec.ports ?? [])
          portNamed(workloadNamed(metadata.name).container, targetPort)
        return metadata.name
      })
  assert.deepEqual(chosen('Service'), ['facteur-api', 'facteur-inbound', 'facteur-submission'])
  const names = ['facteur-api', 'facteur-inbound', 'facteur-submission', 'facteur-worker']
  assert.deepEqual(chosen('PodDisruptionBudget'), names)
  assert.deepEqual(chosen('Deployment'), names)
})

test('a rolling update loses no call: the cluster notices within the drain, and waits for the end of the stop', () => {
  for (const { name, manifest, pod, container } of deployments) {
    const { drainSeconds, stopSeconds, inlineSeconds } = configOf(name)
    const drains = name === 'facteur-api' ? drainSeconds : 0
    const before = container.lifecycle?.preStop.sleep.seconds ?? 0
    const {
      periodSeconds = 0,
      failureThreshold = 0,
      timeoutSeconds = 1,
    } = container.readinessProbe ?? {}
    // The worker has no port that a Service leads to.
    if (name !== 'facteur-worker')
      assert.ok(
        before + drains > (drains > 0 ? periodSeconds * failureThreshold + timeoutSeconds : 2),
        name,
      )
    assert.ok(stopSeconds >= 2 * inlineSeconds, name)
    assert.ok((pod.terminationGracePeriodSeconds ?? 30) > before + drains + stopSeconds, name)
    assert.deepEqual(manifest.spec.strategy?.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
    assert.ok((manifest.spec.replicas ?? 1) >= 2, name)
    const budget = manifests.find(
      ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === name,
    )
    assert.ok((budget?.spec.maxUnavailable ?? 0) < (manifest.spec.replicas ?? 1), name)
  }
})

test('pods meet the restricted pod security standard, write to /tmp alone, and get neither token nor names of Services', () => {
  for (const { name, pod, container } of workloads) {
    assert.deepEqual(
      pod.securityContext,
      { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      name,
    )
    const locked = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    }
    assert.deepEqual(container.securityContext, locked, name)
    assert.deepEqual(
      [pod.automountServiceAccountToken, pod.enableServiceLinks, pod.containers.length],
      [false, false, 1],
      name,
    )
    for (const { name: volume, mountPath, readOnly = false } of container.volumeMounts ?? []) {
      const { emptyDir, secret: files } = pod.volumes?.find((each) => each.name === volume) ?? {}
      assert.ok(readOnly ? files : mountPath === '/tmp' && emptyDir?.sizeLimit, mountPath)
    }
  }
  // `runAsNonRoot` without `runAsUser`: the kubelet believes numbers alone.
  assert.match(readFileSync(join(here, 'Dockerfile'), 'utf8'), /^USER 1000:1000$/m)
})

test('memory is what the flags of the image need', () => {
  for (const { container } of workloads) {
    const [, mebibytes = ''] = /^(\d+)Mi$/.exec(container.resources.limits.memory) ?? []
    assert.equal(isMemorySmall({ total: Number(mebibytes) * 1024 * 1024, heap: 0 }), false)
  }
})

test('the page names every file and every workload that there is', () => {
  const lines = blocksOf(page, 'sh').join('\n')
  const text = readFileSync(join(here, page), 'utf8')
  for (const [file] of lines.matchAll(/deploy\/\S+\.yaml/g))
    assert.ok(globSync(file, { cwd: here }).length > 0, file)
  for (const file of globSync('*.yaml', { cwd: join(here, 'deploy/kubernetes') }))
    assert.ok(text.includes(file), file)
  for (const [, name = ''] of lines.matchAll(/(?:deployment|job)[/ ](facteur-\w+)/g))
    workloadNamed(name)
})

/**
 * Kubernetes publishes OpenAPI 2, whose objects allow fields that they do not name. The server
 * refuses those by default (`--validate=strict`), and so do these.
 */
function readSchemas(): (manifest: Manifest) => ValidateFunction {
  const file = join(here, 'test/docs/kubernetes-schemas/v1.34.json')
  const { definitions }: { definitions: Record<string, Definition> } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    formats: { byte: true, int32: true, int64: true, 'date-time': true, 'int-or-string': true },
  })
  for (const definition of Object.values(definitions)) {
    if (definition.properties) definition.additionalProperties ??= false
    if (definition.format === 'int-or-string') definition.type = ['integer', 'string']
  }
  ajv.addSchema({ $id: 'kubernetes', definitions })
  return ({ apiVersion, kind }) => {
    const [group, number] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
    const match = Object.entries(definitions).find(([, definition]) =>
      definition['x-kubernetes-group-version-kind']?.some(
        (item) => item.group === group && item.version === number && item.kind === kind,
      ),
    )
    return (
      ajv.getSchema(`kubernetes#/definitions/${match?.[0]}`) ??
      assert.fail(`${apiVersion} ${kind} has no schema`)
    )
  }
}

interface Definition {
  type?: string | string[]
  format?: string
  properties?: object
  additionalProperties?: boolean | object
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[]
}

function failuresOf(
  schemaOf: (manifest: Manifest) => ValidateFunction,
  manifest: Manifest,
): string[] {
  const validate = schemaOf(manifest)
  validate(manifest)
  return (validate.errors ?? []).map(
    ({ instancePath, message }) =>
      `${manifest.kind} ${manifest.metadata.name}${instancePath} ${message}`,
  )
}

test('waiting for the migration ends when the Job has failed, too', () => {
  const lines = blocksOf(page, 'sh').flatMap((block) =>
    block.split('\n').filter((line) => line.includes('get job')),
  )
  assert.equal(lines.length, 2)
  for (const states of [
    ['', 'SuccessCriteriaMet Complete'],
    ['', 'FailureTarget', 'FailureTarget Failed'],
  ]) {
    // Each call of it says the next state.
    const kubectl = `kubectl() { echo x >> calls; case $(wc -l < calls) in ${states.map((state, at) => `${at + 1}) echo '${state}';;`).join(' ')} esac; }`
    for (const line of lines) {
      const { status, stdout } = spawnSync('sh', ['-c', `sleep() { :; }\n${kubectl}\n${line}`], {
        cwd: makeTemporaryFolder('kubectl'),
        encoding: 'utf8',
        timeout: 20_000,
      })
      assert.deepEqual([status, stdout.trim()], [0, states.at(-1)])
    }
  }
})
