/**
 * Reads the manifests of `deploy/kubernetes/`, and what a pod of them gets from the cluster:
 * arguments, environment, ports and probes.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { here } from '../support/service.ts'

/** It comes with the tools that check our OpenAPI description. */
const yaml: { parseAllDocuments(text: string): { errors: Error[]; toJS(): unknown }[] } =
  createRequire(import.meta.url)('yaml')

/**
 * What the tests read of an object; `kubernetes.test.ts` validates all of it by the published
 * schemas.
 */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Labels }
  data?: Record<string, string>
  spec: {
    replicas?: number
    strategy?: { rollingUpdate: { maxSurge: number; maxUnavailable: number } }
    selector?: Labels & { matchLabels?: Labels }
    maxUnavailable?: number
    ports?: { port: number; targetPort: string }[]
    template?: { metadata: { labels: Labels }; spec: Pod }
  }
}

type Labels = Record<string, string>

interface Pod {
  terminationGracePeriodSeconds?: number
  automountServiceAccountToken: boolean
  enableServiceLinks: boolean
  securityContext: { runAsNonRoot: boolean; runAsUser?: number; seccompProfile: { type: string } }
  containers: PodContainer[]
  volumes?: { name: string; emptyDir?: { sizeLimit: string }; secret?: { secretName: string } }[]
}

interface PodContainer {
  image: string
  args: string[]
  env?: { name: string; value: string }[]
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  lifecycle?: { preStop: { sleep: { seconds: number } } }
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  resources: { limits: { memory: string } }
  securityContext: {
    allowPrivilegeEscalation: boolean
    readOnlyRootFilesystem: boolean
    capabilities: { drop: string[] }
  }
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[]
}

interface Probe {
  httpGet: { path: string; port: string }
  periodSeconds: number
  timeoutSeconds?: number
  failureThreshold: number
}

export const manifests = globSync('deploy/kubernetes/*.yaml', { cwd: here })
  .toSorted()
  .flatMap((file) => yaml.parseAllDocuments(readFileSync(join(here, file), 'utf8')))
  .map((document) => {
    assert.deepEqual(document.errors, [])
    return document.toJS() as Manifest
  })

/** The workloads, each with its pod and the pod's only container. */
export const workloads = manifests.flatMap((manifest) => {
  const pod = manifest.spec?.template?.spec
  const container = pod?.containers[0]
  return pod && container ? [{ name: manifest.metadata.name, manifest, pod, container }] : []
})

export const workloadNamed = (name: string) =>
  workloads.find((workload) => workload.name === name) ?? assert.fail(`There is no ${name}`)

/**
 * As the kubelet puts it together: the settings of all pods, the secret ones, then those of this
 * container.
 */
export function environmentOf(
  container: PodContainer,
  secret: Record<string, string>,
): Record<string, string> {
  const parts = container.envFrom.map(({ configMapRef, secretRef }) => {
    if (secretRef) return secret
    const map = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name,
    )
    return map?.data ?? assert.fail(`There is no ConfigMap ${configMapRef?.name}`)
  })
  const own = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]))
  return Object.assign({}, ...parts, own)
}

/** The port that a probe or a Service names. */
export const portNamed = (container: PodContainer, name: string): number =>
  container.ports?.find((port) => port.name === name)?.containerPort ??
  assert.fail(`There is no port ${name}`)
