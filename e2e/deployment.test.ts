// The files of docs/deploy name settings, ports, users and probes that exist, and agree with each other; no engine runs them here.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { rowOf, SETTING_NAMES } from '../gateway/settings/table.ts'
import { render, type Values } from './chart.ts'

const file = (name: string): string => readFileSync(new URL(`../docs/deploy/${name}`, import.meta.url), 'utf8')
const page = readFileSync(new URL('../docs/deployment.md', import.meta.url), 'utf8')

/** Of the program's surroundings, not of its table. */
const OF_NODE = ['HOME']
const unknown = (names: readonly string[]): readonly string[] =>
  names.filter((name) => ![...SETTING_NAMES, ...OF_NODE].includes(name.replace(/_FILE$/, '')))
const defaultOf = (name: 'SHUTDOWN_DRAIN_MS' | 'SHUTDOWN_FORCE_EXIT_MS'): number => Number(rowOf(name).default)

const unit = file('gantry.service')
const image = file('Dockerfile')
const imagePort = Number(/^EXPOSE (\d+)$/m.exec(image)?.[1])
const PROBE = '/readyz?for=traffic'

it('the page links every file', () => {
  for (const name of readdirSync(new URL('../docs/deploy', import.meta.url)))
    expect(page).toContain(`](deploy/${name}${name === 'helm' ? '/values.yaml' : ''})`)
})

describe('the systemd unit', () => {
  it('sets settings that exist, and runs as a user of its own on a system it cannot write', () => {
    const names = [...unit.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name ?? '')
    expect(names.length).toBeGreaterThan(0)
    expect(unknown(names)).toEqual([])
    expect(unit).toMatch(/^User=gantry$/m)
    expect(unit).toMatch(/^ProtectSystem=strict$/m)
    expect(unit).toMatch(/^NoNewPrivileges=yes$/m)
  })

  it('waits longer than a stop takes', () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    expect(seconds * 1000).toBeGreaterThan(defaultOf('SHUTDOWN_DRAIN_MS') + defaultOf('SHUTDOWN_FORCE_EXIT_MS'))
  })
})

describe('the image', () => {
  it('sets settings that exist, and starts as a user without rights on the port that it states', () => {
    const variables = [...(/^ENV (.*)$/m.exec(image)?.[1] ?? '').matchAll(/([A-Z_]+)=(\S+)/g)]
    expect(unknown(variables.map(([, name]) => name ?? ''))).toEqual([])
    expect(variables.find(([, name]) => name === 'PORT')?.[2]).toBe(String(imagePort))
    expect(image.indexOf('\nUSER node\n')).toBeGreaterThan(0)
    expect(image.indexOf('\nUSER node\n')).toBeLessThan(image.indexOf('\nCMD '))
    expect(image).toContain(`http://127.0.0.1:${imagePort}/livez`)
    // A secret in the context would be in a layer.
    expect(file('Dockerfile.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['*.env', '.git', 'node_modules']),
    )
  })

  it('is run with a root that is read only, on the port that it states', () => {
    const command = /^docker run [\s\S]*?gantry\.env gantry$/m.exec(page)?.[0] ?? ''
    expect(command).toContain('--read-only')
    expect(command).toContain('--cap-drop ALL')
    expect(command).toContain(`:${imagePort} `)
  })
})

type Service = {
  readonly environment?: Readonly<Record<string, string>>
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: object
  readonly volumes?: readonly string[]
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly volumes: object
}

describe('compose.yaml', () => {
  const { services, networks, volumes } = parse(file('compose.yaml'), { merge: true }) as Compose // its shape is what the tests check
  const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'))

  it('runs three gateways of one database, each with a name and a volume of its own', () => {
    expect(gateways).toHaveLength(3)
    for (const [name, gateway] of gateways) {
      const { environment = {} } = gateway
      expect(unknown(Object.keys(environment))).toEqual([])
      expect(environment).toMatchObject({ INSTANCE_ID: name, ALLOW_SECOND_INSTANCE: 'true', REGISTRY_SYNC: 'true' })
      expect(gateway).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: [`${name}:/data`] })
      // Closed until there is a key: neither a public address nor a host name opens it.
      expect(Object.keys(environment)).not.toEqual(expect.arrayContaining(['GATEWAY_PUBLIC_URL']))
      expect(Object.keys(environment)).not.toEqual(expect.arrayContaining(['ALLOWED_HOSTS']))
    }
  })

  it('names only services, networks and volumes that it has, and has no secret in it', () => {
    for (const service of Object.values(services)) {
      expect(Object.keys(networks)).toEqual(expect.arrayContaining([...service.networks]))
      const needed = service.depends_on ?? []
      const names = Array.isArray(needed) ? needed : Object.keys(needed)
      expect(Object.keys(services)).toEqual(expect.arrayContaining(names))
      const named = (service.volumes ?? [])
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((name) => !name.startsWith('.'))
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named))
      for (const [name, value] of Object.entries(service.environment ?? {}))
        if (/PASSWORD|KEY/.test(name)) expect(value).toMatch(/^\$\{[A-Z_]+:\?\}$/)
    }
  })

  it('publishes the proxy alone, which asks the probe for traffic of every gateway', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports)
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([['proxy', ['127.0.0.1:8790:8790']]])
    expect([networks.data?.internal, services.postgres?.networks, services.valkey?.networks]).toEqual([
      true,
      ['data'],
      ['data'],
    ])
    const proxy = file('Caddyfile')
    expect(proxy).toContain(`reverse_proxy ${gateways.map(([name]) => `${name}:${imagePort}`).join(' ')} {`)
    expect(proxy).toContain(`health_uri ${PROBE}\n`)
    const [seconds, fails] = [/health_interval (\d+)s/, /health_fails (\d+)/].map((each) =>
      Number(each.exec(proxy)?.[1]),
    )
    const drainMs = Number(gateways[0]?.[1].environment?.SHUTDOWN_DRAIN_MS)
    expect(drainMs).toBeGreaterThan((seconds ?? 0) * (fails ?? 0) * 1000)
  })
})

type Probe = { readonly httpGet: { readonly path: string; readonly port: string }; readonly periodSeconds: number }
type Container = {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe & { readonly failureThreshold: number }
  readonly securityContext: object
  readonly resources: object
}
type Pod = {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly containers: [Container]
}
type Stateful = {
  readonly spec: {
    readonly replicas?: number
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: Pod }
  }
}

describe('the chart', () => {
  const values = parse(file('helm/values.yaml')) as Values
  const validate = new Ajv({ strict: true }).compile(JSON.parse(file('helm/values.schema.json')) as object)
  const templates = readdirSync(new URL('../docs/deploy/helm/templates', import.meta.url))
  const rendered = (more: Values = {}) => {
    const scope = { Values: { ...values, ...more }, Release: { Name: 'shop' } }
    return templates.flatMap((name) => render(file(`helm/templates/${name}`), scope))
  }
  const one = <T>(kind: string, more?: Values): T => rendered(more).find((each) => each.kind === kind) as T // what the tests look at
  const { template } = one<Stateful>('StatefulSet').spec
  const pod = template.spec
  const [container] = pod.containers
  const drainMs = Number(container.env.find(({ name }) => name === 'SHUTDOWN_DRAIN_MS')?.value)

  it('accepts its own values, and refuses what it does not have', () => {
    expect([validate(values), validate.errors]).toEqual([true, null])
    const wrong = [
      { replica: 3 },
      { replicas: 0 },
      { existingSecret: '' },
      { drainMs: 1000 },
      { settings: { port: '1' } },
    ]
    for (const each of wrong) expect([each, validate({ ...values, ...each })]).toEqual([each, false])
    expect(unknown(Object.keys(values.settings as object))).toEqual([])
  })

  it('renders what is switched on, all for the pods that it runs', () => {
    const on = { enabled: true }
    const all = {
      autoscaling: { ...(values.autoscaling as object), ...on },
      serviceMonitor: { ...(values.serviceMonitor as object), ...on },
    }
    const kinds = (more: Values = {}) =>
      rendered(more)
        .map(({ kind }) => String(kind))
        .toSorted((a, b) => a.localeCompare(b))
    expect(kinds()).toEqual(['ConfigMap', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service', 'StatefulSet'])
    expect(kinds(all)).toEqual([
      'ConfigMap',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'ServiceMonitor',
      'StatefulSet',
    ])
    const { labels } = template.metadata
    expect(one('PodDisruptionBudget')).toMatchObject({ spec: { selector: { matchLabels: labels } } })
    expect(one('NetworkPolicy')).toMatchObject({ spec: { podSelector: { matchLabels: labels } } })
    expect(one('Service')).toMatchObject({ spec: { selector: labels } })
    expect(one('HorizontalPodAutoscaler', all)).toMatchObject({
      spec: { scaleTargetRef: { kind: 'StatefulSet', name: 'shop' } },
    })
    // Of an autoscaler and a number of replicas only one decides.
    expect([one<Stateful>('StatefulSet').spec.replicas, one<Stateful>('StatefulSet', all).spec.replicas]).toEqual([
      3,
      undefined,
    ])
    expect(container.resources).toEqual(values.resources)
  })

  it('sets settings that exist, on the port of the image, without rights', () => {
    expect(unknown(container.env.map(({ name }) => name))).toEqual([])
    expect(container.ports).toEqual([{ name: 'http', containerPort: imagePort }])
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true })
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  })

  it('restarts by liveness and sends traffic by readiness', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' })
    expect(container.readinessProbe.httpGet).toEqual({ path: PROBE, port: 'http' })
  })

  it('serves on for longer than the readiness probe needs to fail, and is not killed while it stops', () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe
    expect(drainMs).toBeGreaterThan(periodSeconds * failureThreshold * 1000)
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(drainMs + defaultOf('SHUTDOWN_FORCE_EXIT_MS'))
  })

  it('fails to render what it has no value for', () => {
    expect(() => render('a: {{ .Values.absent }}', { Values: values, Release: {} })).toThrow('absent')
    expect(() => render('a: {{ include "x" . }}', { Values: values, Release: {} })).toThrow()
  })
})
